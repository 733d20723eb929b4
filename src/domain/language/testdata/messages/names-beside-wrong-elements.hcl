resource "cron" "day" {}
job "test" {
  get "cron" "day" {}
}
job "a" {
  get "cron" "day" {
    passed = ["tset", null, 3]
  }
}
