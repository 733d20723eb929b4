resource "cron" "day" {}
job "a" {
  get "cron" "day" {
    params {
      x = 1
    }
  }
}
