job "test" {
  matrix {
    go = ["1.21"]
  }
  task "t" {
    run "shell" {
      cmd = each.value.go
    }
  }
}
