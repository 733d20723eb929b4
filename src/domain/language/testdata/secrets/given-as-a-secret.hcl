# A variable that the manifest takes from a Secret.
variable "token" {
  type = string
}
resource "git" "app" {
  params {
    url   = "https://forge.example/app.git"
    name  = "app"
    token = var.token
  }
}
