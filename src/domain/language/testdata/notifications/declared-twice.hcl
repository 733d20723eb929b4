notification "slack" "ops" {
  params {
    webhook_url = "https://chat.example/hook"
  }
}
notification "slack" "ops" {
  params {
    webhook_url = "https://chat.example/hook"
  }
}
