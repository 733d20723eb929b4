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
  put "store" "out" {}
}
job "b" {
  get "store" "out" {
    passed = ["a"]
  }
}
