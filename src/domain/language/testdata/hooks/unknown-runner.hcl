job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  ensure "bash" {
    cmd = "x"
  }
}
