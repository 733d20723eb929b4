resource_type "store" {
  params = ["bucket"]
  check "shell" {
    cmd = "list"
  }
  push "shell" {
    cmd = "upload"
  }
}
resource "store" "out" {}
job "a" {
  put "store" "uot" {}
}
