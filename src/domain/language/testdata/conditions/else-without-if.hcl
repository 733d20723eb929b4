job "a" {
  else {
    task "a" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else_if "a == a" {
    task "b" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
