job "test" {
  matrix {
    a = ["x-y", "x"]
    b = ["z", "y-z"]
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
