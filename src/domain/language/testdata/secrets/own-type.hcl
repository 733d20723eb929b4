secret_type "pass" {
  params = ["folder"]
  folder = "ci"
  get "shell" {
    cmd = "pass-to-json \"$param_folder/$param_path\""
  }
}
variable "token" {
  type = string
  secret "pass" {
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
