# The manual: one of them is required.
notification "hostcheck" "c" {
  params {
    app_id          = 1
    installation_id = 2
    private_key     = "key"
    repository      = "o/r"
  }
}
job "a" {
  notify "hostcheck" "c" {
    name = "x"
  }
  on_failure {
    notify "hostcheck" "c" {}
  }
}
