job "a" {
  timeout = "1m"
  tags =​ []
  interruptible = true — false
  disable_retry = true  concurrency = é
}
