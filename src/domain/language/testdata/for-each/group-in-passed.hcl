# The group stands for all its instances.
resource "cron" "day" {}
job "test" {
  for_each = toset(["unit", "e2e"])
  get "cron" "day" {}
}
job "ship" {
  get "cron" "day" {
    passed = ["test"]
  }
}
