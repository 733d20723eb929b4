resource "cron" "a" {
  tags = ["gpu", "zone-a", "gpu"]
}
