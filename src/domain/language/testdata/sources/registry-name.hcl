resource_type "feed" {
  source = "svc://feed"
}
resource "feed" "f" {
  params {
    url = "https://feed.example"
  }
}
