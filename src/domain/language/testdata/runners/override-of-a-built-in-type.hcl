# The scripts of built-in types count as exec.
resource_type "git" {
  source = "svc://git"
  runner "docker" {
    image = "alpine/git"
  }
}
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
