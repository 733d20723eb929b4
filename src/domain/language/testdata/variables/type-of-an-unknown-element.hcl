variable "names" {
  type    = map(strin)
  default = {}
}
