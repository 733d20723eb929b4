# Pin the image to a version or a digest.
resource_type "mock" {
  protocol = "concourse"
  image    = "concourse/mock-resource"
}

resource "git" "app" {
  check_interval = "@every 1m"

  params {
    name       = "app"
    url        = "https://git.example.org/app.git"
    submodules = true
  }
}

resource "git" "base" {
  check_interval = "@every 1m"

  params {
    name       = "base"
    url        = "https://git.example.org/base.git"
    branch     = "main"
    submodules = true
  }
}

resource "mock" "log" {
  params {
    mirror_self = true
  }
}

job "all" {
  in_parallel {
    get "git" "app" {
      trigger = true
      version = "latest"
    }

    get "git" "base" {}
  }

  in_parallel {
    limit     = 2
    fail_fast = true
    timeout   = "10m"

    task "say" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    # groups cannot be nested, so limit and fail_fast of this one are left out
    task "third" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    # try has no counterpart here: if this step fails, the build fails
    task "fourth" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    on_failure {
      put "mock" "log" {}
    }
  }

  # steps that need an order have no counterpart in a group: they run after it, and the hooks of the group run for it and for them
  in_parallel {
    limit     = 1
    fail_fast = true
    timeout   = "10m"

    task "first" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    task "second" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    on_failure {
      put "mock" "log" {}
    }

    # This hook replaces try: its failure does not fail the build. Without a timeout, it may take 10 minutes.
    on_success {
      put "mock" "log" {
        params {
          text = "optional"
        }
      }
    }
  }

  task "fifth" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  task "sixth" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  in_parallel {
    limit     = 1
    fail_fast = true
    attempts  = 2

    task "seventh" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    put "mock" "log" {}

    # the result of ensure has no counterpart: if the hook fails, the build does not fail
    ensure {
      put "mock" "log" {}
    }
  }

  # try has no counterpart here: if this step fails, the build fails
  get "git" "base" {
    attempts = 2
  }

  # try has no counterpart here: if this step fails, the build fails
  # ensure has no counterpart: they belong to try
  task "eighth" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  in_parallel {
    limit     = 1
    fail_fast = true
    # in_parallel has no counterpart in a sequence: its steps run in order
    timeout = "5m"

    task "ninth" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    task "tenth" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    task "last" {
      run "shell" {
        cmd = "echo hello"
      }
    }
  }
}
