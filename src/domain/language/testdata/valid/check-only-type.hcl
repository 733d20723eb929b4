# A get of a type without pull has nothing to fetch.
resource_type "tick" {
  check "shell" {
    cmd = "echo '[]'"
  }
}
resource "tick" "a" {}
job "a" {
  get "tick" "a" {}
}
