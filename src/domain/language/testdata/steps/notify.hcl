notification "slack" "ops" {
  params {
    webhook_url = "https://chat.example/hook"
  }
}
job "a" {
  notify "slack" "ops" {
    message  = "build $BUILD_NUMBER of ${upper("app")}: $${GET_APP_REF}"
    timeout  = "10s"
    attempts = 3
    channel  = "#ops"
    urgent   = true
  }
}
