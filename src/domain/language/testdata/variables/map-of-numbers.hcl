variable "ports" {
  type    = map(number)
  default = { web = 80, db = "5432" }
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      web = var.ports.web
      db  = var.ports["db"]
    }
  }
}
