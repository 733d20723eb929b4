job "a" {
  approve "x" {}
  approve "y" {}
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
