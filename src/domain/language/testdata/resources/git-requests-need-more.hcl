resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    pr = true
  }
}
resource "git" "b" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    token = "t"
    pr = true
  }
}
resource "git" "c" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    token = "t"
    pr = true
    tag = true
  }
}
resource "git" "d" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    tag = true
  }
}
