resource "cron" "day" {}
job "a" {
  get "cron" "day" {
    trigger  = true
    version  = "every"
    timeout  = "1m"
    attempts = 3
  }
}
