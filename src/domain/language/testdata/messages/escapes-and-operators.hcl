variable "a" {
  type    = string
  default = "\d+"
}
variable "b" {
  type    = bool
  default = true & false
}
variable "c" {
  type    = number
  default = 2 ** 3
}
variable "d" {
  type    = number
  default = 1.2.3
}
variable "e" {
  type    = string
  default = `text`
}
