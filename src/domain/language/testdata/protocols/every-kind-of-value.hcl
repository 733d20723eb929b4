variable "key" {
  type    = string
  default = "k"
  secret "env" {
    path = "REGISTRY_PASSWORD"
    key  = "value"
  }
}

variable "port" {
  type    = number
  default = 22
}

resource_type "files" {
  protocol = "concourse"
  image    = "registry.example.com/types/files:1.2"
}

resource "files" "app" {
  check_interval = "@every 10m"
  params {
    uri       = "ssh://git@example.com:${var.port}/app"
    port      = var.port
    as_text   = "${var.port}"
    retries   = 3
    ratio     = 0.5
    deep      = true
    branches  = ["main", "release"]
    nothing   = null
    login     = { user = "ci", password = var.key, "scopes" = ["read", { write = false }] }
    text      = "yes"
    in-file   = "a"
  }
}

resource "files" "bare" {}

job "build" {
  get "files" "app" {
    params {
      depth   = 1
      paths   = ["a", "b"]
      options = { lfs = true }
    }
  }
  get "files" "bare" {}
  put "files" "bare" {
    file    = "app/out-*.tgz"
    headers = { token = var.key, tries = 2 }
    params {
      timeout = 60
      tags    = toset(["b", "a"])
    }
  }
  ensure {
    put "files" "app" {
      list = [1, "1", null]
    }
  }
}
