runner_type "ssh" {
  run {
    path = "ssh"
  }
}
job "a" {
  task "t" {
    run "shh" {
      host = "x"
    }
  }
}
