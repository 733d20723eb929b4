# The canonical name is <type>.<label>.
resource "cron" "app" {}
resource "trigger" "app" {}
