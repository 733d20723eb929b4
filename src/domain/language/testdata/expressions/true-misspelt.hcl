resource "cron" "c" {}
job "a" {
  get "cron" "c" {
    trigger = ture
  }
}
