# Every type that links to the build needs a URL for it.
notification "slack" "chat" {
  params {
    webhook_url = "https://hooks.example.org/x"
    base_url    = "ci.example.org"
  }
}
notification "hostcheck" "checks" {
  params {
    app_id          = 1
    installation_id = 2
    private_key     = "key"
    repository      = "o/r"
    base_url        = "ci.example.org"
  }
}
