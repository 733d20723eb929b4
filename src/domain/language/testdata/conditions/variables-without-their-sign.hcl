# Without $ a name is a text. Conditions of numbers, true and false are meant to be constant, and ${…} varies.
job "a" {
  for_each = toset(["prod", "test"])
  input "env" {
    type = string
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  if "INPUT_ENV == prod" {
    task "one" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else_if "env == prod" {
    task "two" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$INPUT_ENV == prod && TASK_T_RESULT != ''" {
    task "three" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "1 == 2 || true == false" {
    task "four" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "name" {
    condition = "${each.key} == prod"
    task "five" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
