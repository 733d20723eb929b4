# A definition stands for itself: variables are the pipeline's.
resource_type "feed" {
  source = "https://types.example/feed.hcl"
}
resource "feed" "f" {
  params {
    url = "https://feed.example"
  }
}
