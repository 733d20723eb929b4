job "test" {
  matrix {
    a = range(32)
    b = range(32)
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
