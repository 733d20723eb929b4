# Pin the image to a version or a digest.
resource_type "mock" {
  protocol = "concourse"
  image    = "concourse/mock-resource"
}

resource "mock" "release" {}

resource "mock" "lock" {}

job "ship" {
  task "make" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  task "verify" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  task "sign" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  put "mock" "release" {}

  task "measure" {
    run "shell" {
      cmd = "echo hello"
    }

    # This hook replaces try: its failure does not fail the build. Without a timeout, it may take 10 minutes.
    on_success {
      put "mock" "release" {
        params {
          text = "measured"
        }
      }
    }
  }

  task "deploy" {
    run "shell" {
      cmd = "echo hello"
    }

    # the result of on_success has no counterpart: if the hook fails, the build does not fail
    # the order in on_success has no counterpart: its later steps run even if an earlier one fails
    on_success {
      task "verify" {
        run "shell" {
          cmd = "echo hello"
        }

        # on_success has no counterpart: a step in a hook has no hooks
      }

      put "mock" "release" {}
    }

    # the order in on_failure has no counterpart: its later steps run even if an earlier one fails
    on_failure {
      task "diagnose" {
        run "shell" {
          cmd = "echo hello"
        }
      }

      put "mock" "release" {
        params {
          text = "broken"
        }
      }
    }

    # the result of ensure has no counterpart: if the hook fails, the build does not fail
    ensure {
      task "clean" {
        run "shell" {
          cmd = "echo hello"
        }
      }

      put "mock" "lock" {}
    }
  }

  task "scan" {
    run "shell" {
      cmd = "echo hello"
    }

    on_success {
      put "mock" "release" {}
    }

    on_cancel {
      # in_parallel has no counterpart in a hook: its steps run in order
      put "mock" "release" {}

      put "mock" "lock" {}
    }

    ensure {
      put "mock" "lock" {}
    }
  }

  # try has no counterpart here: if this step fails, the build fails
  task "check" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  put "mock" "release" {
    # This hook replaces try: its failure does not fail the build. Without a timeout, it may take 10 minutes.
    on_success {
      task "warm" {
        run "shell" {
          cmd = "echo hello"
        }
      }

      put "mock" "lock" {}
    }
  }

  in_parallel {
    task "lint" {
      run "shell" {
        cmd = "echo hello"
      }

      # the result of on_success has no counterpart: if the hook fails, the build does not fail
      on_success {
        put "mock" "lock" {}
      }
    }

    task "unit" {
      run "shell" {
        cmd = "echo hello"
      }
    }
  }

  put "mock" "release" {}

  in_parallel {
    limit     = 1
    fail_fast = true
    attempts  = 2

    task "first" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    task "verify" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    task "sign" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    put "mock" "release" {}

    task "last" {
      # load_var last: the log can show the value, as with reveal
      # load_var last: the task fails if the value has several lines
      # load_var last has no counterpart in a group: only steps after the group see the value
      run "shell" {
        cmd = <<-SH
          value="$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' last)"
          if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
            echo 'load_var last: the value has several lines, and a variable has one' >&2
            exit 1
          fi
          printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
        SH
      }
    }
  }

  put "mock" "release" {
    params {
      text = "$${TASK_LAST_VALUE}"
    }
  }

  in_parallel {
    limit = 1

    put "mock" "release" {
      params {
        to = "a"
      }
    }

    put "mock" "release" {
      params {
        to = "b"
      }
    }
  }

  put "mock" "lock" {}

  in_parallel {
    put "mock" "lock" {}

    # the result of ensure has no counterpart: if the hook fails, the build does not fail
    ensure {
      put "mock" "lock" {}
    }
  }

  # steps that need an order have no counterpart in a group: they run after it, and the hooks of the group run for it and for them
  in_parallel {
    limit     = 1
    fail_fast = true

    task "early" {
      run "shell" {
        cmd = "echo hello"
      }
    }

    put "mock" "release" {}

    # the result of ensure has no counterpart: if the hook fails, the build does not fail
    ensure {
      put "mock" "lock" {}
    }
  }

  task "verify" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  task "sign" {
    run "shell" {
      cmd = "echo hello"
    }
  }

  put "mock" "release" {}

  on_failure {
    put "mock" "lock" {
      params {
        text = "failed"
      }
    }
  }

  # the result of ensure has no counterpart: if the hook fails, the build does not fail
  ensure {
    put "mock" "lock" {}
  }
}
