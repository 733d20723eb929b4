# source and inline definitions exclude each other; sources have two forms.
resource_type "a" {
  source = "svc://git"
  check "exec" {
    path = "x"
  }
}
resource_type "b" {
  source = "svc://cron"
  params = ["x"]
}
resource_type "c" {
  source = "git"
}
resource_type "d" {
  source = "svc://gti"
}
resource_type "e" {
  source = "file:///etc/passwd"
}
resource_type "f" {
  source = ""
}
resource_type "a" {
}
resource_type "a.b" {
}
resource_type "g" {
  params = ["a b", "c=d"]
  check "exec" {}
}
resource "g" "x" {}
