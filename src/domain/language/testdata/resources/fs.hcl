resource "fs" "data" {
  check_interval = "@every 1m"
  params {
    path = "/data/in"
  }
}
