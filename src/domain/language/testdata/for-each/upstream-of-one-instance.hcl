resource "cron" "day" {}
job "build" {
  for_each = toset(["a", "b"])
  get "cron" "day" {}
}
job "deploy" {
  for_each = toset(["a", "b", "c"])
  get "cron" "day" {
    passed = ["build--${each.key}"]
  }
}
