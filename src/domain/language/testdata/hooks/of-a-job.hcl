# With a label a command, without one a block of steps.
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
notification "slack" "ops" {
  params {
    webhook_url = "https://chat.example/hook"
  }
}
job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  on_success "shell" {
    cmd = "true"
  }
  on_failure "shell" {
    cmd = "true"
  }
  on_cancel "shell" {
    cmd = "true"
  }
  ensure {
    notify "slack" "ops" {
      message = "done"
    }
    put "store" "out" {
      status = "$BUILD_STATUS"
    }
    task "clean" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
