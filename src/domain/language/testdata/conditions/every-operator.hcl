resource "cron" "app" {}
job "a" {
  get "cron" "app" {}
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  if "$GET_APP_REF != ''" {
    task "t0" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$BUILD_NUMBER > 3" {
    task "t1" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$BUILD_NUMBER < 9" {
    task "t2" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$TASK_T_OUT contains done" {
    task "t3" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$TASK_T_OUT !contains done" {
    task "t4" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "(a == $BUILD_NUMBER || c == d) && e == e" {
    task "t5" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
