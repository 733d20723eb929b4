resource_type "a" {
  source_digest = "sha256:00"
  push "exec" {}
}
