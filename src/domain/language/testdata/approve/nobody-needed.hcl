job "a" {
  approve "x" {
    approvals = 0
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
