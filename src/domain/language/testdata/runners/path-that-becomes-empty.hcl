# Nothing would run, and the step would succeed.
variable "tool" {
  type    = string
  default = ""
}
runner_type "tool" {
  run {
    path = "$${tool}$prefix"
    args = ["$args"]
  }
}
job "a" {
  task "lacks both" {
    run "tool" {}
  }
  task "empty" {
    run "tool" {
      tool   = var.tool
      prefix = ""
    }
  }
  task "fine" {
    run "tool" {
      tool = "hammer"
    }
  }
}
