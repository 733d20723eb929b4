resource "git" "a" {
  params {
    url  = "https://forge.example/team/app.git"
    name = "a"
  }
}
resource "git" "b" {
  params {
    url   = "https://forge.example/team/app.git"
    name  = "b"
    token = "t"
  }
}
resource "git" "c" {
  params {
    url  = "http://git.demo.svc/app.git"
    name = "c"
  }
}
job "release" {
  put "git" "a" {}
  put "git" "b" {}
  put "git" "c" {}
}
