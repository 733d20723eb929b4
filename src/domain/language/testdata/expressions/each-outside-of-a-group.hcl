job "a" {
  task "t" {
    run "shell" {
      cmd = "echo ${each.key}"
    }
  }
}
