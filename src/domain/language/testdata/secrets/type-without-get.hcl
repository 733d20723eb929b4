secret_type "pass" {
  folder = "ci"
}
