# A key of a Secret in the team's namespace: the placeholder names its place.
variable "token" {
  type = string
  secret "kubernetes" {
    path = "forge"
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
