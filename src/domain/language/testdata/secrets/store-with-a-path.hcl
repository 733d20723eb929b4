variable "token" {
  type = string
  secret "store" {
    path = "forge"
    key  = "9 tokens"
  }
}
