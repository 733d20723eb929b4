job "test" {
  for_each = toset(["a"])
  task "t" {
    run "shell" {
      cmd = each.name
    }
  }
}
