# The manual: validated at load, instances too.
notification "slack" "ops" {
  on   = ["all"]
  jobs = ["aa", "test--w"]
  params {
    webhook_url = "https://chat.example/hook"
  }
}
notification "slack" "other" {
  on      = ["all"]
  exclude = ["nobody"]
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
job "test" {
  for_each = toset(["u", "v"])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
