variable "token" {
  type = string
  secret "env" {
    key = "TOKEN"
  }
}

resource "cron" "c" {
  check_interval = var.token
  tags           = [var.token]
}
job "a" {
  timeout = var.token
  task "t" {
    run "docker" {
      image = "registry.example/${var.token}"
      cmd   = "true"
    }
  }
  if "$BUILD_NUMBER == 1" {
    task "u" {
      inputs = [var.token]
      run "exec" {
        path = var.token
      }
    }
  }
}
