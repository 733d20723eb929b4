job "test" {
  for_each = toset(["1.21", "1-21"])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
