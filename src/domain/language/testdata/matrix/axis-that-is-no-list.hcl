job "test" {
  matrix {
    go = "1.21"
    os = [["x"]]
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
