# Inline definitions take precedence.
resource_type "cron" {
  check "shell" {
    cmd = "date"
  }
}
resource "cron" "c" {}
