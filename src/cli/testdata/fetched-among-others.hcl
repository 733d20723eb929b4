resource_type "code" {
  source = "svc://gti"
}

job "a" {
}
