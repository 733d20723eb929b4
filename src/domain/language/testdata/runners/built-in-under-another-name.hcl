runner_type "plain" {
  source = "svc://exec"
}
job "a" {
  task "t" {
    run "plain" {
      path = "make"
      args = ["test"]
    }
  }
}
