# Slow tests each working night at half past two, on the clocks of Berlin, summer and winter. A chat hears of the
# first failure and of the recovery, not of each night.

variable "chat_webhook" {
  type = string

  secret "kubernetes" {
    path = "chat"
    key  = "webhook"
  }
}

resource "cron" "night" {
  check_interval = "30 2 * * TUE-SAT"
  time_zone      = "Europe/Berlin"
}

resource "git" "app" {
  check_interval = "@every 10m"

  params {
    url    = "https://git.example.org/team/app.git"
    name   = "app"
    branch = "main"
  }
}

notification "slack" "team" {
  on      = ["changed"]
  message = "$BUILD_JOB_NAME #$BUILD_NUMBER: $BUILD_STATUS"

  params {
    webhook_url = var.chat_webhook
  }
}

job "nightly" {
  timeout = "3h"

  get "cron" "night" {
    trigger = true
  }

  # Without trigger: the newest commit of that night.
  get "git" "app" {}

  task "endurance" {
    attempts = 2

    run "docker" {
      image = "docker.io/library/python:3.14"
      cmd   = "cd app && ./endurance.sh"
    }
  }
}
