# Types are HCL's own, optional attributes with defaults included.
variable "host" {
  type    = object({ name = string, port = optional(number, 22) })
  default = { name = "a.example" }
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      address = "${var.host.name}:${var.host.port}"
    }
  }
}
