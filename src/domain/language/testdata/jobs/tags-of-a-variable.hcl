variable "tags" {
  type    = list(string)
  default = ["gpu"]
}
job "a" {
  tags = concat(var.tags, ["big"])
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
