variable "names" {
  type = list(string)
}
