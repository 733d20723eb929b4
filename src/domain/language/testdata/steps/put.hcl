# Attributes of the body and of params are parameters alike; timeout and attempts are the step’s.
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
  put "store" "out" {
    file     = "a-$BUILD_NUMBER"
    size     = 12
    timeout  = "1m"
    attempts = 2
    params {
      timeout = "of the upload"
    }
  }
}
