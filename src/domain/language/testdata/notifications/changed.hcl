# Of first failures and recoveries.
notification "slack" "ops" {
  on = ["changed", "cancel"]
  params {
    webhook_url = "https://chat.example/hook"
  }
}
