notification "slack" "ops" {
  on   = ["failure"]
  jobs = ["a", "test", "ship--x"]
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
job "ship" {
  for_each = toset(["x", "y"])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
