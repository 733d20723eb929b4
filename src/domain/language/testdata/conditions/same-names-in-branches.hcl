# Branches of one chain never meet; what comes behind meets them.
job "a" {
  input "a" {
    type = string
  }
  if "$INPUT_A == 1" {
    task "x" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else {
    task "x" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  task "x" {
    run "shell" {
      cmd = "true"
    }
  }
}
