# A default is a fixed value.
variable "a" {
  type    = string
  default = "x"
}
variable "b" {
  type    = string
  default = "${var.a}-y"
}
