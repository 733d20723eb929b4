resource "cron" "morning" {
  check_interval = "0 9 * * MON-FRI"
  time_zone      = "Europe/Berlin"
}
resource "cron" "of_another_case" {
  check_interval = "@daily"
  time_zone      = "america/new_york"
}
