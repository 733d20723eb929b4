# They run in the order of the text.
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
    cmd = "echo one"
  }
  ensure {
    notify "slack" "ops" {}
  }
  ensure "shell" {
    cmd = "echo two"
  }
}
