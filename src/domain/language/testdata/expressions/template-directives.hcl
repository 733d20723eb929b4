runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = "%{ for x in ["a", "b"] }${x};%{ endfor }"
      b = "%{ if true }yes%{ else }no%{ endif }"
    }
  }
}
