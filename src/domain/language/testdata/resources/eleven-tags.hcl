resource "cron" "a" {
  tags = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
}
