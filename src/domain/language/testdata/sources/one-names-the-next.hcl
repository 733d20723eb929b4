resource_type "feed" {
  source = "https://types.example/a.hcl"
}
resource "feed" "f" {
  params {
    url = "https://feed.example"
  }
}
