resource_type "t" {
  push "shell" {
    cmd = "x"
  }
}
resource "t" "x" {}
job "a" {
  get "t" "x" {}
}
