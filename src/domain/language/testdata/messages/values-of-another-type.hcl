job "a" {
  timeout     = 300
  concurrency = true
  interruptible = 1
  task "t" {
    timeout = true
    run     = "make"
  }
}
