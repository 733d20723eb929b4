notification "slack" "ops" {
  jobs = ["a"]
  params {
    webhook_url = "https://chat.example/hook"
  }
}
notification "slack" "other" {
  exclude = ["a"]
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
}
