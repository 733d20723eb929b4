variable "environment" {
  type    = string
  default = "prod"
}
variable "token" {
  type = string
  secret "kubernetes" {
    path = "forge-${var.environment}"
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
