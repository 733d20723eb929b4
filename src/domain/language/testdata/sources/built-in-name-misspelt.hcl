resource_type "code" {
  source = "svc://gti"
}
