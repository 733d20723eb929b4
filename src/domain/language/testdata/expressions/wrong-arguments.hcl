runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = join(",")
      b = parseint("x", 10)
    }
  }
}
