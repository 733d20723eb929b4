resource_type "t" {
  push "exec" {}
}
resource_type "t" {
  push "exec" {}
}
