# Addresses that git may use.
resource "git" "a" {
  params {
    url  = "ssh://git@forge.example:2222/team/app.git"
    name = "src/app"
  }
}
resource "git" "b" {
  params {
    url    = "git@forge.example:team/app.git"
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
