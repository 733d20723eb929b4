variable "a" {
  type    = string
  default = true ? "a"
}
