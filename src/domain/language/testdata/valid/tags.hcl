# Tags choose where checks run.
resource "cron" "a" {
  tags = ["linux", "amd64", "gpu-2", "linux"]
}
