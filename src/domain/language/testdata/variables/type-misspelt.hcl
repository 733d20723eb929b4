variable "a" {
  type = strng
}
variable "b" {
  type = boolean
}
variable "c" {
  type = integer
}
