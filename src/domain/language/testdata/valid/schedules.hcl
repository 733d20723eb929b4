# Schedules: as CronJobs take them, and @every.
resource "cron" "a" {
  check_interval = "@every 10s"
}
resource "cron" "b" {
  check_interval = "@every 1h30m"
}
resource "cron" "c" {
  check_interval = "@hourly"
}
resource "cron" "d" {
  check_interval = "0 3 * jan-MAR mon-fri"
}
resource "cron" "e" {
  check_interval = "*/15 0-6/2 1,15 ? *"
}
resource "cron" "f" {
  check_interval = "@every 90.5s"
}
resource "cron" "g" {}
