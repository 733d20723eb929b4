variable "a" {
  type = string
  secret "env" {
    key = var.a
  }
}
