resource_type "a" {
  source = "other://git"
}
resource_type "b" {
  source = "git"
}
resource_type "c" {
  source = "svc:git"
}
resource_type "d" {
  source = "other://nothing-like-it"
}
resource "a" "x" {
}
