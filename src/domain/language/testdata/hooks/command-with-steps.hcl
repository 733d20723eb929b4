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
  ensure "shell" {
    cmd = "x"
    notify "slack" "ops" {}
  }
}
