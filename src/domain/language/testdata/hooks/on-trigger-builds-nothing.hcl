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
  on_trigger {
    put "store" "out" {}
    task "x" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
