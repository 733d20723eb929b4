job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
    inputs  = ["/etc/passwd", "../up"]
    outputs = ["", "a/../../b"]
  }
}
