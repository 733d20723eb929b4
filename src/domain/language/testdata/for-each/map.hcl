job "test" {
  for_each = { linux = "a", mac = "b" }
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
