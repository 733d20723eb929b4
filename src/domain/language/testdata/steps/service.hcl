service_type "db" {
  params = ["version"]
  start "docker" {
    image = "db:$${param_version:-16}"
    cmd   = "db"
  }
  stop "exec" {}
  ready_check "docker" {
    image    = "db:$param_version"
    cmd      = "db-ready"
    interval = "2s"
    timeout  = "2m"
  }
}
job "a" {
  service "db" {
    version = 17
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
