job "a" {
  task "t" {
    run "exec" {
      args = ["x"]
    }
  }
}
