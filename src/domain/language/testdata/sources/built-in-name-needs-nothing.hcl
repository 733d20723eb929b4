resource_type "code" {
  source = "svc://git"
}
resource "code" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
