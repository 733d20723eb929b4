resource "git" "a" {
  params {
    url  = "https://forge.example/app.git"
    name = "../up"
  }
}
resource "git" "b" {
  params {
    url  = "https://forge.example/app.git"
    name = "/abs"
  }
}
