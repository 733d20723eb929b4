job "test" {
  for_each = toset([1, 2])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
