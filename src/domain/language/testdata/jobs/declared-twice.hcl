job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
