# All commands of the type run in the image: exec's program becomes the container's.
resource_type "bucket" {
  params = ["name"]
  runner "docker" {
    image = "cloud-tools:1"
  }
  check "exec" {
    path = "list-bucket"
    args = ["--json"]
  }
  push "exec" {}
}
resource "bucket" "b" {
  params {
    name = "x"
  }
}
