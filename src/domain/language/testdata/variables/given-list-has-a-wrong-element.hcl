variable "ports" {
  type = list(number)
}
