# Addresses that git may use.
resource "git" "a" {
  params {
    url  = "https://git@forge.example:2222/team/app.git"
    name = "src/app"
  }
}
resource "git" "b" {
  params {
    url    = "https://forge.example/team/app.git"
    name   = "b"
    branch = "release/1.x"
    pr     = false
    tag    = "false"
  }
}
resource "git" "c" {
  params {
    url  = "http://git.demo.svc.cluster.local/app.git"
    name = "c"
  }
}
