job "a" {
  service "redis" {
    prot = 6380
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
