variable "deploy_private_key" {
  type = string

  secret "kubernetes" {
    path = "deploy"
    key  = "private_key"
  }
}

variable "deploy_token" {
  type = string

  secret "kubernetes" {
    path = "deploy"
    key  = "token"
  }
}

# Pin the image to a version or a digest.
resource_type "mock" {
  protocol = "concourse"
  image    = "concourse/mock-resource"
}

resource "git" "app" {
  check_interval = "@every 1m"

  params {
    name        = "app"
    url         = "git@github.com:example/app.git"
    branch      = "main"
    private_key = var.deploy_private_key
    submodules  = true
  }
}

resource "mock" "mail" {}

job "build" {
  get "git" "app" {
    trigger  = true
    version  = "latest"
    timeout  = "1m30s"
    attempts = 3
  }

  task "compile" {
    # vars has no counterpart: they are for a task in a file
    # file has no counterpart: write the commands of app/ci/compile.yml here
    env = {
      MODE  = "fast"
      TOKEN = var.deploy_token
    }
    timeout  = "1h30m"
    attempts = 2

    run "shell" {
      cmd = <<-SH
        echo 'convert the task in the file app/ci/compile.yml' >&2
        exit 1
      SH
    }

    # the result of on_success has no counterpart: if the hook fails, the build does not fail
    on_success {
      put "mock" "mail" {
        params {
          text = "good"
        }

        # on_failure has no counterpart: a step in a hook has no hooks
      }
    }

    # the order in on_failure has no counterpart: its later steps run even if an earlier one fails
    on_failure {
      put "mock" "mail" {
        params {
          text = "bad"
        }
      }

      # get app has no counterpart: a hook cannot get, so get the resource in the job
      # in_parallel has no counterpart in a hook: its steps run in order
      task "dump" {
        run "shell" {
          # user has no counterpart: the user of the image, or the security profile of the Team, runs the command
          cmd = <<-SH
            cd app
            app/ci/dump
          SH
        }
      }

      put "mock" "mail" {}
    }

    # on_error is left out: in Millrace, an error is a failure, so on_failure runs
    on_cancel {
      put "mock" "mail" {
        params {
          text = "stopped"
        }
      }
    }

    # the result of ensure has no counterpart: if the hook fails, the build does not fail
    ensure {
      task "clean" {
        run "shell" {
          cmd = "rm -rf 'app tmp'"
        }
      }
    }
  }

  put "mock" "mail" {
    params {
      text = "good"
    }

    on_failure {
      put "mock" "mail" {}
    }
  }

  on_failure {
    put "mock" "mail" {
      params {
        text = "the job failed"
      }
    }
  }

  # on_error is left out: in Millrace, an error is a failure, so on_failure runs
  # the order in on_abort has no counterpart: its later steps run even if an earlier one fails
  on_cancel {
    put "mock" "mail" {}

    put "mock" "mail" {
      timeout = "1m"
    }
  }

  # the result of ensure has no counterpart: if the hook fails, the build does not fail
  ensure {
    put "mock" "mail" {
      params {
        text = "over"
      }
    }
  }
}

job "deploy" {
  task "send" {
    run "shell" {
      cmd = "true"
    }

    # on_error becomes on_failure: in Millrace, an error is a failure
    on_failure {
      put "mock" "mail" {
        params {
          text = "broken"
        }
      }
    }
  }
}
