secret_type "safe" {
  get "shell" {
    cmd = "safe-to-json"
  }
}

variable "webhook" {
  type = string

  secret "safe" {
    key = "WEBHOOK"
  }
}

variable "password" {
  type = string

  secret "safe" {
    key = "PASSWORD"
  }
}

resource "cron" "nightly" {
  check_interval = "@daily"
}

resource "fs" "data" {
  params {
    path = "/data"
  }
}

resource "fs" "models" {
  params {
    path = "/models"
  }
}

job "unit" {
  for_each = toset(["a", "b"])

  get "cron" "nightly" {}

  task "test" {
    env = { PASSWORD = var.password, WEBHOOK = var.webhook }

    run "shell" {
      cmd = "make test"
    }
  }
}
