variable "targets" {
  type = map(string)
}
job "test" {
  for_each = var.targets
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
