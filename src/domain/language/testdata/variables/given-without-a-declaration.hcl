variable "region" {
  type    = string
  default = "north"
}
