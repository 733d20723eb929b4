variable "names" {
  type    = list
  default = []
}
