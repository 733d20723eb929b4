# An attribute that is null is as if it were not there.
resource "cron" "a" {
  check_interval = null
}
job "a" {
  get "cron" "a" {
    trigger = null
    passed  = null
  }
}
