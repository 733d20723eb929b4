resource_type "t" {
  cache = true
  check "shell" {
    cmd = "x"
  }
}
resource "t" "x" {}
