variable "names" {
  type    = set(string)
  default = ["b", "a", "b"]
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      all = join(",", var.names)
    }
  }
}
