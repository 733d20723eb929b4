secret_type "settings" {
  source = "svc://file"
  path   = "settings"
  format = "toml"
}
variable "token" {
  type = string
  secret "settings" {
    key = "token"
  }
}
