resource "trigger" "released" {
  check_interval = "@every 1m"
}
