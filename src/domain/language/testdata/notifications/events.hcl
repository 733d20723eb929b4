# In the order of success, failure, cancel.
notification "slack" "ops" {
  on = ["cancel", "success"]
  params {
    webhook_url = "https://chat.example/hook"
  }
}
