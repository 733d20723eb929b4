resource "cron" "day" {}
job "a" {
  put "cron" "day" {}
}
