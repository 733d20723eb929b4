notification_type "pager" {
  params = ["key"]
  notify "shell" {
    cmd = "page \"$NOTIFY_MESSAGE\""
  }
}
notification "pager" "night" {
  on = ["failure"]
  params {
    key = "k"
  }
}
