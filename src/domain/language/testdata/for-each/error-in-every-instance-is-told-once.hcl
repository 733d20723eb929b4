job "test" {
  for_each = toset(["a", "b", "c"])
  task "t" {
    run "shell" {
      cmd = var.nothing
    }
  }
}
