resource "git" "a" {
  params {
    url         = "https://github.com/team/app.git"
    name        = "a"
    token       = "t"
    forks       = true
  }
}
resource "git" "b" {
  params {
    url          = "https://github.com/team/app.git"
    name         = "b"
    token        = "t"
    pr           = true
    fork_secrets = true
  }
}
resource "git" "c" {
  params {
    url   = "https://github.com/team/app.git"
    name  = "c"
    token = "t"
    pr    = true
    forks = "yes"
  }
}
