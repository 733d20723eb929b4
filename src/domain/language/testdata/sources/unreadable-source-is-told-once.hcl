resource_type "a" {
  source = var.nowhere
}
resource "a" "x" {}
job "j" {
  get "a" "x" {}
}
