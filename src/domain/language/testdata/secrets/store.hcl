variable "token" {
  type = string
  secret "store" {
    key = "forge-token"
  }
}
resource "git" "app" {
  params {
    url   = "https://forge.example/app.git"
    name  = "app"
    token = var.token
  }
}
