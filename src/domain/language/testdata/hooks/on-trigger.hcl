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
  on_trigger "shell" {
    cmd = "true"
  }
  on_trigger {
    notify "slack" "ops" {
      message = "queued $version_ref"
    }
  }
}
