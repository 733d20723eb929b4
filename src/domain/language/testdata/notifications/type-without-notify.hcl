notification_type "pager" {
  params = ["key"]
}
