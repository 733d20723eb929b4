variable "f" {
  type    = string
  default = lower("a" "b")
}
