job "test" {
  for_each = toset(["---", "a"])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
