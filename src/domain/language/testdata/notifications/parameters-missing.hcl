notification "chatone" "a" {}
notification "hostcheck" "b" {
  params {
    app_id = "one"
    repository = "r"
  }
}
