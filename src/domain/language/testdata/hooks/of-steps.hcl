resource "cron" "day" {}
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
  get "cron" "day" {
    on_failure "shell" {
      cmd = "true"
    }
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
    ensure "shell" {
      cmd = "true"
    }
  }
  put "store" "out" {
    on_success "shell" {
      cmd = "true"
    }
  }
  notify "slack" "ops" {
    on_cancel "shell" {
      cmd = "true"
    }
  }
}
