job "a" {
  if "" {
    task "t0" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$GET_APP_REF" {
    task "t1" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$A == " {
    task "t2" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$GET_X == a b" {
    task "t3" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$GET_X >= 3" {
    task "t4" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$GET_X =~ a" {
    task "t5" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "!($GET_X == a)" {
    task "t6" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "($GET_X == a" {
    task "t7" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  if "$GET_X == 'a" {
    task "t8" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
