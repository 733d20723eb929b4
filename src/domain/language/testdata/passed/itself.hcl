resource "cron" "day" {}
job "a" {
  get "cron" "day" {
    passed = ["a"]
  }
}
