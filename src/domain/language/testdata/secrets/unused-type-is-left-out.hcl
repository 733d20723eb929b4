secret_type "pass" {
  get "shell" {
    cmd = "true"
  }
}
