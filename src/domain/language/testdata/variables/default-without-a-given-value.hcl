# Without a given value the default is taken.
variable "region" {
  type    = string
  default = "north"
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      region = var.region
    }
  }
}
