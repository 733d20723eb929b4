# The first branch that holds runs.
job "a" {
  input "env" {
    type = string
  }
  if "$INPUT_ENV == prod" {
    task "p" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else_if "$INPUT_ENV == stage && $BUILD_NUMBER > 3" {
    task "s" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else {
    task "d" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
