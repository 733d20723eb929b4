resource "git" "patterns" {
  params {
    url        = "https://forge.example/app.git"
    name       = "a"
    branches   = "main,--upload-pack"
    depth      = "all"
    submodules = "yes"
    lfs        = 1
  }
}
resource "git" "nothing" {
  params {
    url      = "https://forge.example/app.git"
    name     = "b"
    branches = "!main"
  }
}
resource "git" "both" {
  params {
    url      = "https://forge.example/app.git"
    name     = "c"
    branch   = "main"
    branches = "release/*"
  }
}
resource "git" "tags" {
  params {
    url      = "https://forge.example/app.git"
    name     = "d"
    token    = "t"
    tag      = true
    branches = "release/*"
  }
}
