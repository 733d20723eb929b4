# Older HCL quoted types; it is plain what is meant.
variable "a" {
  type    = "string"
  default = "x"
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = var.a
    }
  }
}
