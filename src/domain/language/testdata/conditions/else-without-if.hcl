job "a" {
  else {
    task "a" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else_if "1 == 1" {
    task "b" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
