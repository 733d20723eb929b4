resource "cron" "day" {}
job "a" {
  get "cron" "day" {
    trigger = "true"
  }
}
