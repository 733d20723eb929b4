job "a" {
  timeout = "1h30m"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "b" {
  timeout = "90s"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "c" {
  timeout = "1.5s"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
