# What git would misunderstand is refused at once.
resource "git" "a" {
  params {
    url    = "ext::sh -c id"
    name   = "../x"
    branch = "--upload-pack=x"
  }
}
resource "git" "b" {
  params {
    url      = "https://user:password@forge.example/x.git"
    name     = "-x"
    branch   = "a..b"
    pr       = true
    tag      = "true"
    provider = "forge_a"
  }
}
resource "git" "c" {
  params {
    url  = "/srv/repository"
    name = "a/.git/hooks"
  }
}
