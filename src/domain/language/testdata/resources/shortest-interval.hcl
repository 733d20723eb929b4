resource "cron" "a" {
  check_interval = "@every 10s"
}
resource "cron" "b" {
  check_interval = "@every 10.9s"
}
