resource "cron" "day" {}
job "a" {
  get "cron" "day" {
    version = "latest"
  }
}
