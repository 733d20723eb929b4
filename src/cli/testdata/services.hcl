job "integration" {
  input "slow" {
    type    = "bool"
    default = false
  }

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
