# With a given value the secret block is not used.
variable "token" {
  type = string
  secret "env" {
    key = "k"
  }
}
resource "git" "app" {
  params {
    url   = "https://forge.example/app.git"
    name  = "app"
    token = var.token
  }
}
