variable "names" {
  type    = list(string)
  default = ["b", "a", 3]
}
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      first = var.names[0]
      all   = join(",", var.names)
    }
  }
}
