variable "token" {
  type = string
  secret "env" {}
}
