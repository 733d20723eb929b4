job "a" {
  concurrency = -1
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "b" {
  concurrency = 1.5
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "c" {
  concurrency = "2"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
