# Three jobs in a row: test, try in another image, tag.
variable "image" {
  type    = string
  default = "node:24-slim"
}

resource "git" "app" {
  check_interval = "@every 30s"

  params {
    url    = "http://git.demo.svc.cluster.local/app.git"
    name   = "app"
    branch = "main"
  }
}

job "unit" {
  get "git" "app" {
    trigger = true
  }

  task "test" {
    run "shell" {
      cmd = "cd app && ./test.sh"
    }
  }
}

job "integration" {
  get "git" "app" {
    trigger = true
    passed  = ["unit"]
  }

  task "try" {
    run "docker" {
      image = var.image
      cmd   = "cd app && node --test"
    }
  }
}

job "publish" {
  get "git" "app" {
    trigger = true
    passed  = ["unit", "integration"]
  }

  put "git" "app" {
    tag = "v1"
  }
}
