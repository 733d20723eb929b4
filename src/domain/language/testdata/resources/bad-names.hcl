resource "cron" "with space" {}
resource "cron" "-a" {}
resource "cron" "" {}
