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
variable "region" {
  type    = string
  default = "north"
}
