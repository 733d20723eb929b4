# slack is chatone, discord chattwo, github-check hostcheck.
notification "slack" "ops" {
  params {
    webhook_url = "https://chat.example/hook"
  }
}
notification "discord" "d" {
  params {
    webhook_url = "https://chat.example/d"
    base_url    = "https://ci.example"
  }
}
notification "github-check" "c" {
  params {
    app_id          = 1
    installation_id = 2
    private_key     = "key"
    repository      = "o/r"
  }
}
