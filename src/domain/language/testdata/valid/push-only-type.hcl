# A type with push alone serves puts; an empty push does nothing and succeeds.
resource_type "ping" {
  params = []
  push "exec" {}
}
resource "ping" "team" {}
job "a" {
  put "ping" "team" {
    text = "done"
  }
}
