job "a" {
  concurrency   = 2
  timeout       = "45m"
  tags          = ["gpu", "big"]
  serial_groups = ["prod"]
  disable_retry = true
  allow_failure = true
  interruptible = true
  supersede     = false
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
