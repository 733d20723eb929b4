# What is as if it were not there is left out.
job "a" {
  concurrency   = 0
  tags          = []
  serial_groups = []
  disable_retry = false
  allow_failure = null
  interruptible = false
  supersede     = true
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
