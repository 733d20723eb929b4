resource_type "feed" {
  source = "https://types.example/feed.hcl"
  runner "docker" {
    image = "tools:1"
  }
}
resource "feed" "f" {}
