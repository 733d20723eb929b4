resource "git" "app" {
  cache = false
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
resource_type "t" {
  cache = true
  check "shell" {
    cmd = "x"
  }
}
resource "t" "x" {}
