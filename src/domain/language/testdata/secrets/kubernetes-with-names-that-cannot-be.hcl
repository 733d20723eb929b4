variable "token" {
  type = string
  secret "kubernetes" {
    path = "Forge_1"
    key  = "a b"
  }
}
