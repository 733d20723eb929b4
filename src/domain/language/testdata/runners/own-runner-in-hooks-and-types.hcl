runner_type "sudo" {
  run {
    path = "sudo"
    args = ["-n", "$args"]
  }
}
resource_type "device" {
  check "sudo" {
    args = ["list-devices"]
  }
}
resource "device" "d" {}
job "a" {
  get "device" "d" {}
  ensure "sudo" {
    args = ["reset"]
  }
}
