# What the language has, but this version does not, is named.
notification_type "n" {}
notification "n" "a" {}
runner_type "r" {}
secret_type "s" {}
service_type "v" {}
variable "x" {
  type = string
  secret "vault" {
    key = "k"
  }
}
resource_type "t" {
  source = "https://example.com/t.hcl"
}
resource_type "u" {
  source = "svc://fs"
}
resource_type "v" {
  runner "docker" {
    image = "x"
  }
}
resource "fs" "f" {}
resource "trigger" "g" {}
job "a" {
  concurrency     = 1
  timeout         = "1h"
  tags            = ["x"]
  serial_groups   = ["x"]
  disable_retry   = true
  allow_failure   = true
  interruptible   = true
  for_each        = ["x"]
  get "git" "app" {
    version  = "every"
    timeout  = "1m"
    attempts = 2
    on_success "shell" {
      cmd = "x"
    }
  }
  task "t" {
    inputs   = ["x"]
    outputs  = ["x"]
    run "docker" {
      image = "x"
      cmd   = upper("x")
      args  = ["--privileged"]
    }
    ensure "shell" {
      cmd = each.key
    }
  }
  put "git" "app" {
    attempts = 2
  }
  notify "n" "a" {}
  service "s" {}
  in_parallel {}
  if "x" {}
  else_if "x" {}
  else {}
  matrix {}
  input "i" {}
  approve "a" {}
  on_success {}
  on_failure {}
  on_cancel {}
  ensure {}
  on_trigger {}
}
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
resource_type "w" {
  cache = true
}
resource "cron" "c" {
  tags  = ["x"]
  cache = false
}
