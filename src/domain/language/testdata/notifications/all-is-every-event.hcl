notification "slack" "ops" {
  on = ["all"]
  params {
    webhook_url = "https://chat.example/hook"
  }
}
