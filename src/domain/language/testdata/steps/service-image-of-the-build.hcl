service_type "db" {
  start "docker" {
    image = "db:$BUILD_NUMBER"
    cmd   = "db"
  }
  stop "exec" {}
}
