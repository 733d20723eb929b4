resource "cron" "day" {}
notification "slack" "ops" {
  params {
    webhook_url = "https://chat.example/hook"
  }
}
job "test" {
  for_each = toset(["a"])
  timeout = "${length(each.key)}m"
  get "cron" "day" {
    version = each.key == "a" ? "every" : "latest"
  }
  in_parallel {
    task "t" {
      run "docker" {
        image = "tools:${each.key}"
        cmd   = each.value
      }
      on_failure {
        notify "slack" "ops" {
          message = each.key
        }
      }
    }
  }
}
