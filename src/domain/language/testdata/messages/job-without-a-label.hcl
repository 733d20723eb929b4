resource "cron" "day" {
}
resource "cron" {
  for_each = toset(["a"])
}
job {
  get "cron" "day" {}
}
job {
  get "cron" "day" {}
}
