variable "pair" {
  type    = tuple([string, bool])
  default = ["a", true]
}
variable "anything" {
  type    = any
  default = { deep = [1, 2] }
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      flag = var.pair[1]
      two  = var.anything.deep[1]
    }
  }
}
