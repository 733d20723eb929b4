resource "cron" "often" {
  check_interval = "@every 1m30s"
}
