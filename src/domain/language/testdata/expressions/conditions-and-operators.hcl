runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = 1 + 2 * 3
      b = true && !false
      c = 3 > 2 ? "yes" : "no"
      d = 7 % 3
      e = "${1 == 1}"
    }
  }
}
