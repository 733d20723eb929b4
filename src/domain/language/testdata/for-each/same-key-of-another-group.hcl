# Names are texts, so an instance can wait for its like.
resource "cron" "day" {}
job "build" {
  for_each = toset(["a", "b"])
  get "cron" "day" {}
}
job "ship" {
  for_each = toset(["a", "b"])
  get "cron" "day" {
    passed = ["build--${each.key}"]
  }
}
