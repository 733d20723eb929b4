resource "cron" "a" {
  check_interval = "5m"
}
resource "cron" "b" {
  check_interval = "* * * *"
}
resource "cron" "c" {
  check_interval = "60 * * * *"
}
resource "cron" "d" {
  check_interval = "@every soon"
}
resource "cron" "e" {
  check_interval = "TZ=Europe/Vienna 0 5 * * *"
}
