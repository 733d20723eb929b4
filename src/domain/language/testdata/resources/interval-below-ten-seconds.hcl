# The manual: shorter intervals are rejected.
resource "cron" "a" {
  check_interval = "@every 9.9s"
}
resource "cron" "b" {
  check_interval   = "@every 1m"
  webhook_interval = "@every 5s"
}
