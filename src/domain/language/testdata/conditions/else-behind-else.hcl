job "a" {
  if "a == a" {
    task "a" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else {
    task "b" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else {
    task "c" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
