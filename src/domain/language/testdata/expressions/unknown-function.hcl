runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = uper("x")
      b = file("/etc/passwd")
    }
  }
}
