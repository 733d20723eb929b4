resource_type "t" {
  check "shell" {
    cmd = "x"
  }
  check "shell" {
    cmd = "y"
  }
}
