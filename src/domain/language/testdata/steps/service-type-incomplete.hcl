service_type "db" {
  start "shell" {
    cmd = "db"
  }
}
