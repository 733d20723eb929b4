job "a" {
  task "a" {
    run "shell" {
      cmd = "true"
    }
    attempts = 0
  }
}
job "b" {
  task "b" {
    run "shell" {
      cmd = "true"
    }
    attempts = 101
  }
}
job "c" {
  task "c" {
    run "shell" {
      cmd = "true"
    }
    attempts = 1
  }
}
