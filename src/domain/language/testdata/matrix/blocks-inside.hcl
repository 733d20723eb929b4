job "test" {
  matrix {
    go = ["1"]
    include {}
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
