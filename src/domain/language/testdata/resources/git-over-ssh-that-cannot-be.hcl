resource "git" "without-key" {
  params {
    url  = "ssh://git@forge.example:2222/team/app.git"
    name = "a"
  }
}
resource "git" "without-known-hosts" {
  params {
    url         = "git@forge.example:team/app.git"
    name        = "b"
    private_key = "given"
  }
}
resource "git" "key-without-ssh" {
  params {
    url         = "https://forge.example/team/app.git"
    name        = "c"
    private_key = "given"
  }
}
resource "git" "token" {
  params {
    url         = "git@github.com:team/app.git"
    name        = "d"
    private_key = "given"
    token       = "given"
  }
}
resource "git" "password" {
  params {
    url         = "ssh://git:secret@github.com/team/app.git"
    name        = "e"
    private_key = "given"
  }
}
resource "git" "requests" {
  params {
    url         = "git@github.com:team/app.git"
    name        = "f"
    private_key = "given"
    pr          = true
  }
}
resource "git" "dash" {
  params {
    url         = "ssh://-oProxyCommand=x/y"
    name        = "g"
    private_key = "given"
  }
}
resource "git" "labels" {
  params {
    url    = "https://forge.example/team/app.git"
    name   = "h"
    labels = "run ci"
  }
}
