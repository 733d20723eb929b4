# A list has no keys.
job "test" {
  for_each = ["unit", "e2e"]
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
