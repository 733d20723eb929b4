variable "b" {
  type    = map(string)
  default = { a = "1" b = "2" }
}
