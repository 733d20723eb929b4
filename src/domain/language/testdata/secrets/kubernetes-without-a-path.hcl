variable "token" {
  type = string
  secret "kubernetes" {
    key = "token"
  }
}
