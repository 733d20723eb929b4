variable "names" {
  type    = list(string)
  default = ["a"]
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = var.names[3]
    }
  }
}
