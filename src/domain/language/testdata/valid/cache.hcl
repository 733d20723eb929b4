# git has a cache unless the resource says otherwise.
resource "git" "a" {
  cache = false
  params {
    url  = "https://forge.example/a.git"
    name = "a"
  }
}
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
