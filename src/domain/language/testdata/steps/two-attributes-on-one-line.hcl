job "a" {
  task "t" {
    run "shell" { cmd = "true" shell = "bash" }
  }
}
