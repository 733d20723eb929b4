resource "git" "app" {
  check_interval = "@daily"
  check_interval = "@hourly"
}
job "a" {
  get "git" "other" {}
  task "t" {}
}
