variable "targets" {
  type    = set(string)
  default = ["b", "a"]
}
job "test" {
  for_each = var.targets
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
