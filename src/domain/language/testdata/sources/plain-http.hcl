# Whether it is fetched without TLS is for the team to allow.
resource_type "feed" {
  source = "http://types.example/feed.hcl"
}
resource "feed" "f" {
  params {
    url = "https://feed.example"
  }
}
