job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
    run "shell" {
      cmd = "true"
    }
  }
}
