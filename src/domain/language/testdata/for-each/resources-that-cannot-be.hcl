resource "cron" "list" {
  for_each = ["a"]
}
resource "cron" "slugs" {
  for_each = toset(["a b", "a-b", "!"])
}
resource "cron" "none" {
  for_each = toset([])
}
resource "git" "wrong-in-all" {
  for_each = toset(["a", "b"])
  params {
    url  = 1
    nmae = each.kye
  }
}
resource "cron" "taken" {
  for_each = toset(["a"])
}
resource "cron" "taken--a" {}
resource "cron" "with space" {
  for_each = toset(["a"])
}
resource "cron" "matrix" {
  matrix {
    a = ["b"]
  }
}
resource "cron" "nothing" {
  for_each = null
}
job "a" {
  get "cron" "nothing" {}
}
