# Pull requests: each is tested, and shows the result as a check. A newer push to a request ends the build of the
# older one. Requests from forks are not built: anyone can open one, and it would run here.

variable "forge_token" {
  type = string

  secret "kubernetes" {
    path = "forge"
    key  = "token"
  }
}

variable "app_key" {
  type = string

  secret "kubernetes" {
    path = "forge"
    key  = "private-key"
  }
}

resource "git" "request" {
  check_interval = "@every 1m"

  params {
    url      = "https://github.com/example/app.git"
    name     = "app"
    token    = var.forge_token
    provider = "github"
    pr       = true
  }
}

# It completes the check of the commit, however the build ends.
notification "github-check" "result" {
  on   = ["all"]
  jobs = ["test"]

  params {
    app_id          = "1234"
    installation_id = "5678"
    private_key     = var.app_key
    repository      = "example/app"
    base_url        = "https://ci.example.org"
  }
}

job "test" {
  timeout       = "20m"
  interruptible = true

  get "git" "request" {
    trigger = true
    version = "every"
  }

  notify "github-check" "result" {
    status = "in_progress"
  }

  task "test" {
    run "docker" {
      image = "docker.io/library/node:24"
      cmd   = "cd app && npm ci && npm test"
    }
  }
}
