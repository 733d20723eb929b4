# Messages tell values, and never one of a secret.
variable "token" {
  type = string
  secret "env" {
    key = "TOKEN"
  }
}
variable "names" {
  type    = map(string)
  default = { a = "x" }
}
job "test" {
  task "a" {
    env = var.token
    run "exec" {
      path = "true"
      args = var.token
    }
  }
  task "b" {
    env = { A = var.names["b"], B = var.token.x, C = "${var.names.c} ${var.token}" }
    run "exec" {
      path = "true"
      args = [[var.token, var.names.a]]
    }
  }
}
