variable "with space" {
  type    = string
  default = "x"
}
variable "1st" {
  type    = string
  default = "x"
}
