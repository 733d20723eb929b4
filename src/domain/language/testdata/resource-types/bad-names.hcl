resource_type "with.dot" {
  push "exec" {}
}
resource_type "" {
  push "exec" {}
}
