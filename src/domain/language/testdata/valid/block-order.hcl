# Blocks may stand in any order.
job "b" {
  get "page" "news" {
    passed = ["a"]
  }
}
job "a" {
  get "page" "news" {}
}
resource "page" "news" {
  params {
    url = var.url
  }
}
resource_type "page" {
  params = ["url"]
  check "exec" {
    path = "check-page"
  }
}
variable "url" {
  type    = string
  default = "https://example.com"
}
