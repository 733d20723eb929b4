# A secret passes through texts as a placeholder.
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
job "a" {
  task "t" {
    run "shell" {
      cmd = "curl -H 'Authorization: Bearer ${var.token}' https://api.example"
    }
  }
  task "u" {
    run "exec" {
      path = "x"
      args = ["--token=${var.token}", true ? var.token : ""]
    }
  }
}
