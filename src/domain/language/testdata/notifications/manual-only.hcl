# Without on only notify steps send it.
notification "slack" "ops" {
  params {
    webhook_url = "https://chat.example/hook"
  }
}
job "a" {
  notify "slack" "ops" {}
}
