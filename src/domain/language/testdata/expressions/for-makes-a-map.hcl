runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = jsonencode({ for x in ["a", "b"] : x => upper(x) })
    }
  }
}
