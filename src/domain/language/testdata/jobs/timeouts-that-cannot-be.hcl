job "a" {
  timeout = "90"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "b" {
  timeout = "0s"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "c" {
  timeout = "-1m"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "d" {
  timeout = "1000h"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "e" {
  timeout = 90
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "f" {
  timeout = "soon"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
