resource_type "a" {
  runner "exec" {}
  runner "exec" {}
  check "exec" {
    path = "x"
  }
}
