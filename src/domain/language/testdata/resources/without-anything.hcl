# params and check_interval may be left out: then it is checked on request only.
resource "cron" "nightly" {}
