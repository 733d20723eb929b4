# At most 1,000.
job "test" {
  for_each = toset([for i in range(1001) : format("k%d", i)])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
