# The older form of the notification: it can only be put.
resource "hostcheck" "status" {
  params {
    app_id          = 1
    installation_id = 2
    private_key     = "key"
    repository      = "o/r"
  }
}
job "a" {
  put "hostcheck" "status" {
    conclusion = "success"
  }
}
