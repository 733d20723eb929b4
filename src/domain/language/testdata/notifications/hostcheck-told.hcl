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
    status = "in_progress"
  }
  on_success {
    notify "hostcheck" "c" {
      conclusion = "success"
    }
  }
  on_trigger {
    notify "hostcheck" "c" {
      status = "queued"
    }
  }
}
