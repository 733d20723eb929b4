variable "a" {
  type    = list(string)
  default = ["a" "b"]
}
