# Once a webhook has been seen to work, checks are only a fallback.
resource "git" "app" {
  check_interval   = "@every 1m"
  webhook_interval = "@every 1h"
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
