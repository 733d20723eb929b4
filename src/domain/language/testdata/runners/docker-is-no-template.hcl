runner_type "container" {
  source = "svc://docker"
}
