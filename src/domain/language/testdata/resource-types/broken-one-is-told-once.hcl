resource_type "t" {
  check "shell" {}
}
resource "t" "x" {
  check_interval = "@every 1m"
}
job "j" {
  get "t" "x" {}
}
