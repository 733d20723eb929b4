job "a" {
  task "t" {
    run = "true"
  }
}
