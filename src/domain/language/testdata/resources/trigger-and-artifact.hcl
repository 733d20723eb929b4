# trigger has no script at all; artifact is put and got.
resource "trigger" "released" {}
resource "artifact" "build" {
  params {
    base_dir = "/srv/files"
    dir      = "out"
  }
}
job "a" {
  put "artifact" "build" {
    dir = "dist"
  }
  put "trigger" "released" {
    version = "1.$BUILD_NUMBER"
  }
}
job "b" {
  get "trigger" "released" {
    trigger = true
  }
  get "artifact" "build" {
    passed = ["a"]
  }
}
