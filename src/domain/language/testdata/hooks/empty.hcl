job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  on_failure {}
}
