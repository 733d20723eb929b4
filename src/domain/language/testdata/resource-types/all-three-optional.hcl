resource_type "push-only" {
  push "shell" {
    cmd = "publish"
  }
}
resource_type "nothing" {}
resource "push-only" "a" {}
resource "nothing" "b" {}
job "j" {
  put "push-only" "a" {}
}
