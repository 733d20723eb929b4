secret_type "vault" {
  source  = "svc://vault"
  address = "https://vault.example"
  role_id = "build"
}
variable "token" {
  type = string
  secret "vault" {
    path = "kv"
    key  = "token"
  }
}
