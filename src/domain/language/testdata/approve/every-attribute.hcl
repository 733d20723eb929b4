notification "slack" "ops" {
  params {
    webhook_url = "https://chat.example/hook"
  }
}
job "a" {
  approve "go live" {
    approvals      = 2
    timeout        = "24h"
    not_by_trigger = true
    notify "slack" "ops" {
      message = "waits"
      room    = "deploys"
    }
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
