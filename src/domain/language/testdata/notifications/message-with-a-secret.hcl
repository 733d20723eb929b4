variable "token" {
  type = string
  secret "env" {
    key = "X"
  }
}
notification "slack" "ops" {
  message = "token ${var.token}"
  params {
    webhook_url = "https://chat.example/hook"
  }
}
