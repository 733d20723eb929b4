variable "a" {
  type    = number
  default = 2 ** 3
}
