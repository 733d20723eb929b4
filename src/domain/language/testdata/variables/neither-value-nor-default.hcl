# A variable without value, secret block and default is an error.
variable "region" {
  type = string
}
