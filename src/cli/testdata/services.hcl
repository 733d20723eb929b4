job "integration" {
  service "postgresql" {
    version = "17"
  }

  service "redis" {}

  task "suite" {
    run "exec" {
      path = "./suite"
    }
  }
}
