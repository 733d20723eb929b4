variable "branch" {
  type    = string
  default = "main"
}

resource "git" "app" {
  check_interval = "@every 30s"

  params {
    url    = "https://git.example.org/app.git"
    name   = "app"
    branch = var.branch
    token  = var.token
  }
}

resource "cron" "nightly" {
  check_interval = "0 3 * * *"
}

job "unit" {
  get "git" "app" {
    trigger = true
  }

  task "test" {
    run "docker" {
      image = "node:24"
      cmd   = "npm test"
    }
  }
}

job "publish" {
  get "git" "app" {
    trigger = true
    passed  = ["unit"]
  }

  get "cron" "nightly" {
    trigger = true
  }

  put "git" "app" {
    tag = "build-$BUILD_NUMBER"
  }
}

variable "token" {
  type    = string
  default = "example"
}
