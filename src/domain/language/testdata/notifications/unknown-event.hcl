notification "slack" "ops" {
  on = ["sucess"]
  params {
    webhook_url = "https://chat.example/hook"
  }
}
