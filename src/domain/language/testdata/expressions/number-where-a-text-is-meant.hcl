variable "replicas" {
  type    = number
  default = 3
}
job "scale" {
  task "scale" {
    run "exec" {
      path = var.replicas
      args = [var.replicas]
    }
  }
}
