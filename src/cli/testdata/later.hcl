variable "webhook" {
  type = string

  secret "env" {
    key = "WEBHOOK"
  }
}

variable "password" {
  type = string

  secret "env" {
    key = "PASSWORD"
  }
}

job "unit" {
  for_each = toset(["a", "b"])
  timeout  = "10m"

  task "test" {
    env     = { PASSWORD = var.password, WEBHOOK = var.webhook }
    timeout = "5m"

    run "shell" {
      cmd = "make test"
    }
  }
}
