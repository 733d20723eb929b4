resource_type "feed" {
  source = "https://types.example/feed.hcl"
  source_digest = "sha256:5de89e38f9f5c26426db299d3d1f1f2810ebfe0788ee749e0bc77bc8d5534294"
}
resource "feed" "f" {
  params {
    url = "https://feed.example"
  }
}
