job "a" {
  timeout = "1d"
  approve "go" {
    timeout = "7d"
  }
  task "a" {
    timeout = "10min"
    run "exec" {
      path = "true"
    }
  }
  task "b" {
    timeout = "5 m"
    run "exec" {
      path = "true"
    }
  }
  task "c" {
    timeout = "1h 30m"
    run "exec" {
      path = "true"
    }
  }
  task "d" {
    timeout = "2 weeks"
    run "exec" {
      path = "true"
    }
  }
  task "e" {
    timeout = "9999999999999999999999h"
    run "exec" {
      path = "true"
    }
  }
  task "f" {
    timeout = "soon"
    run "exec" {
      path = "true"
    }
  }
  task "g" {
    timeout = "90"
    run "exec" {
      path = "true"
    }
  }
}
