job "a" {
  disable_retry = "true"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
