runner_type "ssh" {
  run {
    args = ["x"]
  }
}
job "a" {
  task "t" {
    run "ssh" {}
  }
}
