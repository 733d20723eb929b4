resource_type "t" {
  params = ["ok", "with-dash", "with space", "ok"]
  push "exec" {}
}
resource "t" "x" {
  params {
    ok = 1
  }
}
