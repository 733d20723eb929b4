job "a" {
  service "redis" {
    version = "8"
    port    = 6380
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
