# Schedules that CronJobs refuse, or that are too short.
resource "cron" "a" {
  check_interval = "@every 9s"
}
resource "cron" "b" {
  check_interval = "@every soon"
}
resource "cron" "c" {
  check_interval = "* * * *"
}
resource "cron" "d" {
  check_interval = "TZ=Europe/Berlin 0 3 * * *"
}
resource "cron" "e" {
  check_interval = "60 * * * *"
}
resource "cron" "f" {
  check_interval = "0 0 * * 7"
}
resource "cron" "g" {
  check_interval = "@reboot"
}
resource "cron" "h" {
  check_interval = "5-1 * * * *"
}
resource "cron" "i" {
  check_interval = "*/0 * * * *"
}
resource "cron" "j" {
  check_interval = "* * * foo *"
}
resource "cron" "k" {
  check_interval = "1-2-3 1/2/3 * * *"
}
resource "cron" "l" {
  check_interval = ""
}
resource "cron" "m" {
  check_interval = "@every -1m"
}
resource "cron" "n" {
  check_interval = "30s"
}
