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
  task "first" {
    run "shell" {
      cmd = "true"
    }
  }
  get "cron" "day" {}
  notify "slack" "ops" {}
  put "store" "out" {}
  task "last" {
    run "shell" {
      cmd = "true"
    }
  }
}
