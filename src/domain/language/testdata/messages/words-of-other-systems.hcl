locals {
  a = 1
}
module "x" {}
runner "a" {}
service "b" {}
secret "c" {}
job "a" {
  count         = 2
  depends_on    = ["b"]
  env           = { A = "b" }
  serial        = true
  max_in_flight = 1
  on_error "exec" {
    path = "true"
  }
  on_abort {}
  parallel {}
  dynamic "x" {}
  needs = ["b"]
  steps {}
}
