# What the manifest gives wins over the default.
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
