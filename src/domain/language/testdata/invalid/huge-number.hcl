job "a" {
  get "cron" "a" {
    trigger = 1e1000
  }
}
