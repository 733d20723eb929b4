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
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  on_failure {
    put "store" "out" {
      timeout  = "1m"
      attempts = 2
    }
  }
}
