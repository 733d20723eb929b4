# Functions that look at a secret would see the placeholder.
variable "token" {
  type = string
  secret "env" {
    key = "TOKEN"
  }
}

resource "git" "app" {
  params {
    url    = "https://forge.example/app.git"
    name   = "app"
    token  = upper(var.token)
    branch = length(var.token) > 3 ? "a" : "b"
  }
}
