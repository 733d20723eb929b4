variable "token" {
  type = string
  secret "vault" {
    path = "kv/forge"
    key  = "token"
  }
}
