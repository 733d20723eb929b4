# The configuration of a secret type may hold another secret: a chain.
variable "vault_token" {
  type = string
  secret "kubernetes" {
    path = "vault"
    key  = "token"
  }
}
secret_type "vault" {
  source  = "svc://vault"
  address = "https://vault.example"
  token   = var.vault_token
}
variable "token" {
  type = string
  secret "vault" {
    path = "kv/forge"
    key  = "token"
  }
}
resource "git" "app" {
  params {
    url   = "https://forge.example/app.git"
    name  = "app"
    token = var.token
  }
}
