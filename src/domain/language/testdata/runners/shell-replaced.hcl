runner_type "shell" {
  run {
    path = "bash"
    args = ["-euo", "pipefail", "-c", "$cmd"]
  }
}
job "a" {
  task "t" {
    run "shell" {
      cmd  = "make | tee log"
      more = 1
    }
  }
}
