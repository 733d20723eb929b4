# Beside a source only commands are refused; params are taken besides those of the definition.
resource_type "image" {
  source = "https://example.org/image.hcl"
  params = ["repository", "mirror"]
  cache  = false
}
resource "image" "app" {
  params {
    repository = "app"
    tag        = "1"
    mirror     = "m"
  }
}
notification_type "pager" {
  source = "svc://slack"
  params = ["severity"]
}
notification "pager" "ops" {
  params {
    webhook_url = "https://chat.example"
    severity    = "high"
  }
}
service_type "database" {
  source = "svc://postgresql"
  params = ["extensions"]
}
job "a" {
  service "database" {
    version    = "17"
    extensions = "postgis"
  }
  get "image" "app" {}
}
