variable "token" {
  type = string
  secret "env" {
    key = "X"
  }
}
job "test" {
  for_each = toset([var.token])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
