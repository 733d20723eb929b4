# Variables of steps and commands; secrets are placeholders until a Pod needs them.
variable "token" {
  type = string
  secret "kubernetes" {
    path = "deploy"
    key  = "token"
  }
}
variable "flags" {
  type    = map(string)
  default = { LOG_LEVEL = "debug" }
}
runner_type "python" {
  run {
    path = "python3"
    args = ["$args"]
  }
}
resource_type "image" {
  params = ["env"]
  check "exec" {
    path = "check"
    env  = { MIRROR = "a" }
  }
  push "shell" {
    cmd = "push"
    env = merge(var.flags, { MIRROR = "b" })
  }
  pull "shell" {
    cmd = "pull"
  }
}
resource_type "overridden" {
  runner "docker" {
    image = "tools:1"
    args  = ["--network=host", "-e", "HOME=/tmp"]
    env   = { MIRROR = "of the runner", ONLY = "there" }
  }
  check "exec" {
    path = "check"
    env  = { MIRROR = "of the command" }
  }
}
resource "image" "app" {}
resource "overridden" "app" {}
job "a" {
  get "image" "app" {
    env = { DEPTH = 1, LEFT_OUT = null, ON = true }
  }
  task "t" {
    env = { API_TOKEN = var.token, "GREETING" = "it's\nme", BUILD_TARGET = "arm64" }
    run "docker" {
      image = "node:24"
      cmd   = "npm publish"
      args  = ["--network", "host", "-e", "NPM_TOKEN=${var.token}", "--env=A=b=c", "-eD=1", "--net=host", "-e", "BUILD_NUMBER"]
      env   = { E = "2" }
    }
    on_failure "python" {
      args = ["-c", "pass"]
      env  = { WHO = "hook" }
    }
  }
  put "image" "app" {
    tag = "1"
    env = { REGION = "eu" }
  }
  put "image" "app" {
    env = "a parameter, as before there were environments"
  }
  ensure {
    task "last" {
      env = { X = "" }
      run "shell" {
        cmd = "true"
      }
    }
  }
}
