resource "cron" "a" {
  check_interval = "*/5 8-18 * * MON-FRI"
}
resource "cron" "b" {
  check_interval = "@daily"
}
