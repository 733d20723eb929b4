# Tags are slugs, ten at most.
resource "cron" "a" {
  tags = ["Linux", "a_b", "-a", "", "a-"]
}
resource "cron" "b" {
  tags = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k"]
}
