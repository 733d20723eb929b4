resource "git" "app" {
  params {
    url     = "https://forge.example/app.git"
    name    = "app"
    paths   = "src,:(top)x"
    skip_ci = "never"
  }
}

resource "git" "tags" {
  params {
    url   = "https://forge.example/app.git"
    name  = "app"
    token = "x"
    tag   = "true"
    paths = "src"
  }
}
