# A syntax error does not hide an unknown block, an unknown attribute or a wrong type before it.
jobs "a" {
}
job "a" {
  get "git" "app" {
    trigger = "true"
    psased  = []
  }
}
resource "cron" "c" {
  check_interval "@daily"
}
