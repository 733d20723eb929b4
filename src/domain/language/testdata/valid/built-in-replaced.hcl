# An inline type takes the place of a built-in one of its name.
resource_type "git" {
  params = ["anything"]
  check "shell" {
    cmd = "echo '[]'"
  }
}
resource "git" "app" {
  params {
    anything = "goes"
  }
}
