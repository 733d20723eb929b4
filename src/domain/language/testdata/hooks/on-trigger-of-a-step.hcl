job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
    on_trigger "shell" {
      cmd = "true"
    }
  }
}
