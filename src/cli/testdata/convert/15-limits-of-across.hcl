variable "token" {
  type = string

  secret "kubernetes" {
    path = "token"
    key  = "value"
  }
}

resource "git" "app" {
  check_interval = "@every 1m"

  params {
    name       = "app"
    url        = "https://git.example.org/app.git"
    submodules = true
  }
}

job "matrix" {
  # tags of steps become tags of the job, whose Pod runs all steps
  tags = ["big"]

  in_parallel {
    limit = 3

    task "test system=linux, go=1.24" {
      run "shell" {
        cmd = "echo linux 1.24"
      }
    }

    task "test system=linux, go=1.25" {
      run "shell" {
        cmd = "echo linux 1.25"
      }
    }

    task "test system=windows, go=1.24" {
      run "shell" {
        cmd = "echo windows 1.24"
      }
    }

    task "test system=windows, go=1.25" {
      run "shell" {
        cmd = "echo windows 1.25"
      }
    }

    task "test system=plan9, go=1.24" {
      run "shell" {
        cmd = "echo plan9 1.24"
      }
    }

    task "test system=plan9, go=1.25" {
      run "shell" {
        cmd = "echo plan9 1.25"
      }
    }
  }

  in_parallel {
    task "bench system=linux, go=1.24" {
      run "shell" {
        cmd = "echo linux 1.24"
      }
    }

    task "bench system=linux, go=1.25" {
      run "shell" {
        cmd = "echo linux 1.25"
      }
    }

    task "bench system=windows, go=1.24" {
      run "shell" {
        cmd = "echo windows 1.24"
      }
    }

    task "bench system=windows, go=1.25" {
      run "shell" {
        cmd = "echo windows 1.25"
      }
    }

    task "bench system=plan9, go=1.24" {
      run "shell" {
        cmd = "echo plan9 1.24"
      }
    }

    task "bench system=plan9, go=1.25" {
      run "shell" {
        cmd = "echo plan9 1.25"
      }
    }
  }

  task "modules" {
    # load_var modules: the task fails if the value has several lines
    run "shell" {
      cmd = <<-SH
        value="$(jq -r '. | if . == null then error("there is no value") else tostring end' app/modules.json)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var modules: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "publish ((.:module))" {
    # across has no counterpart: ((.:modules)) is neither written out nor given with --vars
    run "shell" {
      cmd = <<-SH
        echo 'write a step for each value of across' >&2
        exit 1
      SH
    }

    on_failure {
      task "tell" {
        run "shell" {
          cmd = "echo"
        }
      }
    }
  }

  task "across" {
    # across has no counterpart: ((stages)) is neither written out nor given with --vars
    run "shell" {
      cmd = <<-SH
        echo 'write a step for each value of across' >&2
        exit 1
      SH
    }
  }

  in_parallel {
    task "v" {
      # load_var v: the task fails if the value has several lines
      run "shell" {
        cmd = <<-SH
          value="$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' app/version)"
          if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
            echo 'load_var v: the value has several lines, and a variable has one' >&2
            exit 1
          fi
          printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
        SH
      }
    }

    task "sha" {
      # load_var sha: the task fails if the value has several lines
      run "shell" {
        cmd = <<-SH
          value="$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' app/sha)"
          if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
            echo 'load_var sha: the value has several lines, and a variable has one' >&2
            exit 1
          fi
          printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
        SH
      }
    }
  }

  task "build" {
    # image_resource has no counterpart: the image must be known before the build starts
    env = {
      CGO_ENABLED = "0"
      TOKEN       = var.token
    }

    run "shell" {
      cmd = <<-SH
        echo 'name the image of the task build, and convert it again' >&2
        exit 1
      SH
    }
  }
}
