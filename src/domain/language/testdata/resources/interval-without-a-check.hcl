resource_type "t" {
  push "exec" {}
}
resource "t" "x" {
  check_interval = "@every 1m"
}
