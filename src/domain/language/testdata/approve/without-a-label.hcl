job "a" {
  approve {}
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
