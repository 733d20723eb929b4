resource_type "feed" {
  source = "https://types.example/0.hcl"
}
resource "feed" "f" {
  params {
    url = "https://feed.example"
  }
}
