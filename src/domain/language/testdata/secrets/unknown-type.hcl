variable "token" {
  type = string
  secret "evn" {
    key = "TOKEN"
  }
}
