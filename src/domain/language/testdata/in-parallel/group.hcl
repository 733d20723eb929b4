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
  in_parallel {
    limit     = 2
    fail_fast = true
    timeout   = "10m"
    attempts  = 2
    get "cron" "day" {
      trigger = true
    }
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
    put "store" "out" {}
    notify "slack" "ops" {}
    on_failure "shell" {
      cmd = "echo"
    }
  }
}
