# A declared type comes before the built-in one of its name.
secret_type "env" {
  source = "svc://file"
  format = "env"
  path   = "ci.env"
}
variable "token" {
  type = string
  secret "env" {
    key = "TOKEN"
  }
}
resource "git" "app" {
  params {
    url   = "https://forge.example/app.git"
    name  = "app"
    token = var.token
  }
}
