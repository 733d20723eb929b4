resource "fs" "data" {
  params {
    path = "data/in"
  }
}
resource "fs" "none" {}
