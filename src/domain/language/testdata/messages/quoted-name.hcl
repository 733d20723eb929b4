job "a" {
  "timeout" = "1m"
}
