resource "git" "app" {
  params {
    name = "app"
  }
}
resource "git" "lib" {}
