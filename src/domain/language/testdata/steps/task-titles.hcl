job "a" {
  task "compile & test (fast)" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "b" {
  task "" {
    run "shell" {
      cmd = "true"
    }
  }
  task "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" {
    run "shell" {
      cmd = "true"
    }
  }
}
