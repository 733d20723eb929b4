job "a" {
  task "t" {
    run "exec" {
      path = "true"
      args = ["-c", 8080, true]
    }
  }
}
