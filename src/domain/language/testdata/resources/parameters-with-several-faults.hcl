# Every contradiction between parameters is reported, not only the first.
resource "git" "requests" {
  params {
    url          = "https://git.example.org/team/app.git"
    name         = "app"
    pr           = true
    fork_secrets = true
    paths        = "src"
    skip_ci      = true
  }
}
resource "git" "ssh" {
  params {
    url      = "git@git.example.org:team/app.git"
    name     = "app"
    pr       = true
    token    = "t"
    branch   = "main"
    branches = "release/*"
  }
}
resource "registry-image" "image" {
  params {
    repository = "registry.example.org/app"
    tag        = "latest"
    semver     = "1.x"
    username   = "ci"
    platform   = "all"
  }
}
resource "artifact" "files" {
  params {
    bucket = "files"
  }
}
