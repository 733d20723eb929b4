job "test" {
  task "t" {
    run "shell" {
      cmd = "%{ iff true }a%{ endif }"
    }
  }
}
