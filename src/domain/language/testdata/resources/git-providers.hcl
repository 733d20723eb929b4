resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    provider = "forge_a"
  }
}
resource "git" "b" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    provider = "gitlab"
  }
}
resource "git" "c" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    provider = "svn"
  }
}
