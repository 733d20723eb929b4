resource "cron" "day" {}
job "test" {
  for_each = toset(["unit", "e2e"])
  get "cron" "day" {}
}
job "ship" {
  get "cron" "day" {
    passed = ["test--untit", "tset"]
  }
}
