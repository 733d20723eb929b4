runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = join(",", [{ n = "x" }, { n = "y" }][*].n)
    }
  }
}
