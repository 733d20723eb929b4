job "a" {
  in_parallel {
    limit = 0
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
