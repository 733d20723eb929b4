resource "cron" "day" {}
job "test" {
  for_each = toset(["x"])
  get "cron" "day" {
    passed = ["b"]
  }
}
job "b" {
  get "cron" "day" {
    passed = ["test"]
  }
}
