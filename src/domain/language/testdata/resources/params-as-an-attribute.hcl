resource "cron" "a" {
  params = { x = 1 }
}
