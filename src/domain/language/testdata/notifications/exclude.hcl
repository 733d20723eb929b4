# All jobs but these, groups expanded.
notification "slack" "ops" {
  on      = ["failure"]
  exclude = ["test"]
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
job "b" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
