resource "cron" "offset" {
  check_interval = "0 9 * * *"
  time_zone      = "+01:00"
}
resource "cron" "misspelt" {
  check_interval = "0 9 * * *"
  time_zone      = "Europe/Berlim"
}
resource "cron" "empty" {
  check_interval = "0 9 * * *"
  time_zone      = ""
}
resource "cron" "interval" {
  check_interval = "@every 1h"
  time_zone      = "Europe/Berlin"
}
