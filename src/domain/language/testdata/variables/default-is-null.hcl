# null is as if it were not there.
variable "a" {
  type    = string
  default = null
}
