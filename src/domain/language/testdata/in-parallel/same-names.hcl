job "a" {
  in_parallel {
    task "x" {
      run "shell" {
        cmd = "true"
      }
    }
    task "X" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
