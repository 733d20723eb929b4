# Inputs and steps are known, so a slip in their names is, too.
resource "cron" "my-app" {}
job "a" {
  input "env" {
    type = string
  }
  get "cron" "my-app" {}
  task "version check" {
    run "shell" {
      cmd = "true"
    }
  }
  if "$INPUT_ENVV == prod" {
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$GET_NOPE_REF == x || $GET_MY_AP_DATE == y || $GET_MY_APP_DATE == z" {
    task "u" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "named" {
    condition = "$TASK_VERSION_CHEK_OUT == 1 && $TASK_VERSION_CHECK_OUT == 1 && $TASK_LATER_OUT == 1"
    task "v" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else_if "$TASK_V_OUT == 1 && $BUILD_NUMBR > 1" {
    task "w" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  task "later" {
    run "shell" {
      cmd = "true"
    }
  }
}
