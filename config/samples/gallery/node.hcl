# A Node.js application: install, lint, test. The lint and the tests run at the same time.

resource "git" "app" {
  check_interval = "@every 2m"

  params {
    url    = "https://git.example.org/team/app.git"
    name   = "app"
    branch = "main"
  }
}

job "test" {
  timeout       = "20m"
  interruptible = true # a newer commit ends this build

  get "git" "app" {
    trigger = true
  }

  # All steps see the same working directory, so node_modules is there for the next ones.
  task "install" {
    run "docker" {
      image = "docker.io/library/node:24"
      cmd   = "cd app && npm ci"
    }
  }

  in_parallel {
    task "lint" {
      run "docker" {
        image = "docker.io/library/node:24"
        cmd   = "cd app && npm run lint"
      }
    }

    task "test" {
      run "docker" {
        image = "docker.io/library/node:24"
        cmd   = "cd app && npm test"
      }
    }
  }
}
