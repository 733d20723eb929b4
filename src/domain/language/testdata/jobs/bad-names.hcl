job "with space" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "-x" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
