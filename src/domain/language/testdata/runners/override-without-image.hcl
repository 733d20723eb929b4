resource_type "a" {
  runner "docker" {}
  check "exec" {
    path = "x"
  }
}
