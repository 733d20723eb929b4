job "a" {
  in_parallel {
    service "redis" {}
    in_parallel {}
    if "a == a" {}
  }
}
