resource "cron" "a" {
  tags = ["GPU", "a_b", "-x"]
}
