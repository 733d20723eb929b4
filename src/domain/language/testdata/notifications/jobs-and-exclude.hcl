notification "slack" "ops" {
  on      = ["all"]
  jobs    = ["a"]
  exclude = ["b"]
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
job "b" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
