# Numbers are exact, however long.
variable "big" {
  type    = number
  default = 123456789012345678901234567890
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      more = var.big + 1
      third = 0.1 + 0.2
    }
  }
}
