resource "cron" "day" {}
job "a" {
  get "cron" "day" {
    trigger = true
  }
}
job "b" {
  get "cron" "day" {
    passed = ["a", "a"]
  }
}
