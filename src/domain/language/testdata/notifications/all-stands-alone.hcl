# The manual: all cannot be combined with other events.
notification "slack" "ops" {
  on = ["all", "failure"]
  params {
    webhook_url = "https://chat.example/hook"
  }
}
