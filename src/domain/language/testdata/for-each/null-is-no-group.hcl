job "test" {
  for_each = null
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
