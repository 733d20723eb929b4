secret_type "vault" {
  source  = "svc://vault"
  address = "https://vault.example"
  token   = "t"
  role    = "build"
  jwt     = "a.b.c"
}
variable "token" {
  type = string
  secret "vault" {
    path = "kv/forge"
    key  = "token"
  }
}
