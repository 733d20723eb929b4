variable "team" {
  type    = string
  default = "blue"
}
notification "slack" "ops" {
  message = "${var.team}: $BUILD_JOB_NAME #$BUILD_NUMBER\\n$${GET_APP_REF}"
  params {
    webhook_url = "https://chat.example/hook"
  }
}
