resource "http" "release" {
  check_interval = "@every 1h"
  params {
    url       = "https://api.example.org/releases/latest"
    json_path = ".releases[0].tag_name"
    file      = "downloads/release.json"
  }
}
