# The variable holds a placeholder of its name; what the gateway needs stands beside the pipeline.
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
