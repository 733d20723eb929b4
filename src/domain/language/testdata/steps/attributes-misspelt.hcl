# A put or notify accepts any parameter, so a misspelt attribute of the step is only a warning.
resource_type "store" {
  params = ["timeouts"]
  push "shell" {
    cmd = "upload"
  }
}
resource "store" "out" {}
notification "slack" "team" {
  params {
    webhook_url = "https://hooks.example.org/x"
  }
}
notification "hostcheck" "c" {
  params {
    app_id          = 1
    installation_id = 2
    private_key     = "key"
    repository      = "o/r"
  }
}
job "a" {
  put "store" "out" {
    attemps  = 3
    timout   = "5m"
    timeouts = "a parameter of the type"
    env      = "a parameter too"
  }
  put "store" "out" {
    params {
      timeot = "meant as a parameter"
    }
  }
  notify "slack" "team" {
    mesage = "hi"
  }
  notify "hostcheck" "c" {
    status = "in-progress"
  }
  notify "hostcheck" "c" {
    conclusion = "sucess"
  }
}
