# Conditions see GET_, TASK_, INPUT_ and BUILD_ variables.
job "a" {
  if "$HOME == x" {
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$param_x == y" {
    task "u" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$BUILD_STATUS == failed" {
    task "v" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
