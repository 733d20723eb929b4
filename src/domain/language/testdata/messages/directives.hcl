variable "a" {
  type    = string
  default = "%{ if true }a"
}
variable "b" {
  type    = string
  default = "%{ for a }b%{ endfor }"
}
variable "c" {
  type    = string
  default = "a%{ endif }"
}
