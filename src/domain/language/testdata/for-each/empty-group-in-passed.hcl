resource "cron" "day" {}
job "test" {
  for_each = {}
  get "cron" "day" {}
}
job "ship" {
  get "cron" "day" {
    passed = ["test"]
  }
}
