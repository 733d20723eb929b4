job "a" {
  input "with space" {
    type = string
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
