variable "a" {
  type = string
  secret "env" {
    key = var.b
  }
}
variable "b" {
  type = string
  secret "env" {
    key = "${var.a}_X"
  }
}
