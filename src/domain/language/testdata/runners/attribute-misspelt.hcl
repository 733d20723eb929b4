job "a" {
  task "t" {
    run "shell" {
      cmdd = "true"
    }
  }
}
