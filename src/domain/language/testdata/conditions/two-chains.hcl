job "a" {
  if "1 == 1" {
    task "a" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "2 == 2" {
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
