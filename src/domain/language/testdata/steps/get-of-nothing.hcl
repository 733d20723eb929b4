resource "cron" "day" {}
job "a" {
  get "cron" "dya" {}
}
