# Types, names and parameters of resources.
resource "gti" "a" {}
resource "webpage" "b" {}
resource "cron" "c" {}
resource "cron" "c" {}
resource "cron" "a/b" {}
resource "cron" "" {}
resource "git" "d" {}
resource "git" "e" {
  params {
    url = ""
  }
}
