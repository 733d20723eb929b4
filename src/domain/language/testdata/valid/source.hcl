# A source gives a built-in type another name, and may say whether it has a cache.
resource_type "repo" {
  source = "svc://git"
  cache  = false
}
resource_type "timer" {
  source = "svc://cron"
}
resource "repo" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
resource "timer" "day" {
  check_interval = "@daily"
}
