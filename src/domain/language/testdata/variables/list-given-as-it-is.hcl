variable "names" {
  type = list(string)
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      names = join("+", var.names)
    }
  }
}
