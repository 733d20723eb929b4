job "a" {
  matrix {
    x = ["1"]
  }
  matrix {
    y = ["1"]
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
