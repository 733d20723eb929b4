resource_type "t" {
  check "exec" {}
}
