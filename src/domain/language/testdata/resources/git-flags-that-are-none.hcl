resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    pr  = "yes"
    tag = 1
  }
}
