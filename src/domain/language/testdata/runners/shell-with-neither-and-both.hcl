job "a" {
  task "neither" {
    run "shell" {}
  }
  task "both" {
    run "shell" {
      cmd  = "x"
      file = "y"
    }
  }
}
