# A secret may not decide anything, and not stand where it can be read.
variable "token" {
  type = string
}
variable "plain" {
  type    = string
  default = "x"
}
job "a" {
  task "t" {
    run "shell" {
      cmd = var.token == "" ? "none" : var.plain
    }
  }
  task "u" {
    run "docker" {
      image = "registry.example/${var.token}"
      cmd   = "%{ for c in [var.token] }${c}%{ endfor }"
    }
  }
  task "v" {
    run "exec" {
      path = var.token
      args = [for x in [var.token] : x]
    }
  }
}
resource "cron" "c" {
  check_interval = var.token
}
