# Functions that leave a secret as it is may have it.
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
    token = join("", ["a-", coalesce(var.token, "x"), format("-%s", var.token)])
  }
}
