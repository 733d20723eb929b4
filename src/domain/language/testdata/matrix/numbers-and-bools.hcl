job "test" {
  matrix {
    go   = [1.21, 1.22]
    race = [true, false]
  }
  task "t" {
    run "shell" {
      cmd = each.key
    }
  }
}
