resource_type "feed" {
  source = "https://types.example/feed.hcl"
  source_digest = "sha256:0000"
}
resource "feed" "f" {
  params {
    url = "https://feed.example"
  }
}
