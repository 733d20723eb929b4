job "a" {
  service "redis" {
    version = "not a tag"
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
