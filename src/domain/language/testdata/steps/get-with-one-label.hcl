resource "cron" "day" {}
job "a" {
  get "day" {}
}
