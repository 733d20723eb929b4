secret_type "keys" {
  source = "svc://file"
  format = "raw"
}
variable "token" {
  type = string
  secret "keys" {
    path = "id_rsa"
    key  = "content"
  }
}
resource "git" "app" {
  params {
    url   = "https://forge.example/app.git"
    name  = "app"
    token = var.token
  }
}
