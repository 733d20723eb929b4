runner_type "ssh" {
  run {
    path = "ssh"
  }
}
job "a" {
  task "t" {
    run "ssh" {
      host = ["a", "b"]
    }
  }
}
