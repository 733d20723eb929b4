# Not an error: the type still gets it.
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    brnach = "main"
  }
}
