variable "a" {
  type    = string
  default = "x"
}
variable "a" {
  type    = number
  default = 1
}
