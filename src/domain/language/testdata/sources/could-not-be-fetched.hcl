resource_type "feed" {
  source = "https://types.example/feed.hcl"
}
resource "feed" "f" {
  params {
    url = "https://feed.example"
  }
}
