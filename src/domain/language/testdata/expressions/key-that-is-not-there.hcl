variable "ports" {
  type    = map(number)
  default = { web = 80 }
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = var.ports.db
    }
  }
}
