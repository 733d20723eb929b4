# In a manifest a list or map is written as JSON.
variable "names" {
  type = list(string)
}
variable "ports" {
  type = map(number)
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
      web   = var.ports.web
    }
  }
}
