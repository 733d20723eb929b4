job "a" {
  approve "go live" {}
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
