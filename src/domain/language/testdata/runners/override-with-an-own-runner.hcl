runner_type "ssh" {
  run {
    path = "ssh"
    args = ["$host", "$path", "$args"]
  }
}
resource_type "remote" {
  runner "ssh" {
    host = "a.example"
  }
  check "exec" {
    path = "list"
    args = ["x"]
  }
}
resource "remote" "r" {}
