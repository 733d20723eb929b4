job "a" {
  for_each = toset(["x"])
  matrix {
    y = ["z"]
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
