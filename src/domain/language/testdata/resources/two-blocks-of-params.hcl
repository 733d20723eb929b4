resource "cron" "a" {
  params {
    x = 1
  }
  params {
    y = 2
  }
}
