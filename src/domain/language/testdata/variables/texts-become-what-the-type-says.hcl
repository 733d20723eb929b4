# A manifest's values are texts: they are read as the type of the variable.
variable "port" {
  type = number
}
variable "debug" {
  type = bool
}
variable "name" {
  type = string
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      next  = var.port + 1
      quiet = !var.debug
      name  = var.name
    }
  }
}
