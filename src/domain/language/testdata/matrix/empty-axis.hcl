job "test" {
  matrix {
    go = ["1.21"]
    os = []
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
