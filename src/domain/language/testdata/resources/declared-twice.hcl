resource "cron" "app" {}
resource "cron" "app" {}
