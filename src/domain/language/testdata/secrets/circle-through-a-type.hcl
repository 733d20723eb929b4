secret_type "v" {
  source  = "svc://vault"
  address = "https://vault.example"
  token   = var.b
}
variable "a" {
  type = string
  secret "v" {
    path = "kv/x"
    key  = "y"
  }
}
variable "b" {
  type = string
  secret "env" {
    key = "X_${var.a}"
  }
}
