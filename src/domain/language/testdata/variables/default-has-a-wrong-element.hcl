variable "ports" {
  type    = map(number)
  default = { web = "http" }
}
