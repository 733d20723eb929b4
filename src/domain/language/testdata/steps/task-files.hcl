job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
    inputs  = ["app", "./lib/x"]
    outputs = ["dist", "dist"]
  }
}
