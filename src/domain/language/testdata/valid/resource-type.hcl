# An inline type with all three operations.
resource_type "s3" {
  params = ["bucket", "key"]

  check "shell" {
    cmd = "list"
  }
  pull "docker" {
    image = "tools/s3:1"
    cmd   = "get"
  }
  push "exec" {
    path = "put"
    args = ["$put_file"]
  }
}
resource "s3" "one" {
  check_interval = "*/5 * * * *"
  params {
    bucket = "b"
    key    = "k"
  }
}
resource "s3" "two" {}
