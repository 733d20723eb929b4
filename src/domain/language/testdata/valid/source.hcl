# A source gives a built-in type another name.
resource_type "repo" {
  source = "svc://git"
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
