variable "token" {
  type    = string
  default = "never"
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
