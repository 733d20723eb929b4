resource "git" "releases" {
  params {
    url        = "https://forge.example/app.git"
    name       = "app"
    branches   = "main, release/**, !release/old-?"
    depth      = 1
    submodules = true
    lfs        = "false"
  }
}

job "test" {
  get "git" "releases" {}
}
