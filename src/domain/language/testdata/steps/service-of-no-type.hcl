job "a" {
  service "rediss" {}
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
