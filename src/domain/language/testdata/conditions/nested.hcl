job "a" {
  input "a" {
    type = string
  }
  input "b" {
    type = string
  }
  if "$INPUT_A == 1" {
    if "$INPUT_B == 2" {
      task "x" {
        run "shell" {
          cmd = "true"
        }
      }
    }
    else {
      task "y" {
        run "shell" {
          cmd = "true"
        }
      }
    }
  }
}
