job "test" {
  matrix {

  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
