runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      now = timestamp()
    }
  }
}
