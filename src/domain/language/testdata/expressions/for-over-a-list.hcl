runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = join(",", [for x in ["a", "b"] : upper(x)])
      b = join(",", [for x in ["a", "b", ""] : x if x != ""])
    }
  }
}
