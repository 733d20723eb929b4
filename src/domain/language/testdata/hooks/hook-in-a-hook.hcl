job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  ensure {
    task "x" {
      run "shell" {
        cmd = "true"
      }
      on_failure "shell" {
        cmd = "true"
      }
    }
  }
}
