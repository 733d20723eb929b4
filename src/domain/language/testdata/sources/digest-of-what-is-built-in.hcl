resource_type "code" {
  source        = "svc://git"
  source_digest = "sha256:00"
}
