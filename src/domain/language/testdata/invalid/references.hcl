# Names that are not there.
variable "region" {
  type    = string
  default = "eu"
}
variable "twice" {
  type    = string
  default = var.region
}
job "a" {
  task "t" {
    run "exec" {
      path = tools
      args = [var.regoin, local.x, var.region.name, "${vars.region}", nope("x"), jsonencod({})]
    }
  }
  task "u" {
    run "shell" {
      cmd = ture
    }
  }
}
