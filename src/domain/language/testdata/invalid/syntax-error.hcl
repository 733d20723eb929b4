# Everything else is still looked at; what may only have been cut off is not reported.
job "a" {
  tsk "x" {}
  get "git" "app" {
    trigger = "yes"
  }
  put "git" "app"
}
resource "cron" "b" {
  check_interval = "never"
}
