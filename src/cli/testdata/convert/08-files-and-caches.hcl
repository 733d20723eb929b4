resource_type "registry-image" {
  protocol = "concourse"
  image    = "concourse/registry-image-resource:1.9.0"
}

resource "git" "app" {
  check_interval = "@every 1m"

  params {
    name       = "code"
    url        = "https://git.example.org/app.git"
    branch     = "main"
    submodules = true
  }
}

resource "registry-image" "tool" {
  check_interval = "@every 1m"

  params {
    repository = "example/tool"
  }
}

job "build" {
  get "code" {
    resource = "git.app"
    trigger  = true
    version  = "latest"
  }

  get "registry-image" "tool" {}

  cache "install-code-node-modules" {
    path = "code/node_modules"
    key  = "install-code-node-modules-$BUILD_NUMBER"
  }

  cache "install-go-pkg" {
    path = "go/pkg"
    key  = "install-go-pkg-$BUILD_NUMBER"
  }

  task "install" {
    # image has no counterpart: the image of a step must be known before the build starts
    # input_mapping has no counterpart: the task must call the folder code, not source
    # output_mapping has no counterpart: the task must call the folder modules, not packages
    # NOT-A-NAME has no counterpart: it cannot be the name of a variable
    # WORKDIR has no counterpart: Millrace sets this variable itself
    # path: src/app has no counterpart: the folder has the name code
    # a b has no counterpart: it cannot be the name of a folder
    # cache ../up has no counterpart: it is not in the working directory
    # cache /root/.npm has no counterpart: it is not in the working directory
    inputs  = ["code"]
    outputs = ["modules"]
    env = {
      LIST    = "[\"a\",\"b\"]"
      NOTHING = ""
      TEXT    = "two\nlines"
    }

    run "shell" {
      cmd = <<-SH
        mkdir -p modules
        cd code
        bash -ec 'set -o pipefail
        echo '\''it works'\'' | tee packages/out
        '
      SH
    }
  }

  cache "lint-a" {
    path = "a"
    key  = "lint-a-$BUILD_NUMBER"
  }

  cache "lint-b" {
    path = "b"
    key  = "lint-b-$BUILD_NUMBER"
  }

  cache "lint-c" {
    path = "c"
    key  = "lint-c-$BUILD_NUMBER"
  }

  in_parallel {
    task "lint" {
      # cache d has no counterpart: a job has at most 5
      run "shell" {
        cmd = "code/lint.sh '$HOME' ''"
      }
    }

    task "show" {
      run "shell" {
        cmd = <<-SH
          set +e
          ls -l
        SH
      }
    }
  }
}

job "try" {
  get "registry-image" "tool" {}

  cache "measure-measured" {
    path = "measured"
    key  = "measure-measured-$BUILD_NUMBER"
  }

  # set_pipeline self has no counterpart: a Pipeline is an object of Kubernetes, so apply it as a manifest
  get "code" {
    resource = "git.app"

    # This hook replaces try: its failure does not fail the build. Without a timeout, it may take 10 minutes.
    on_success {
      task "measure" {
        run "shell" {
          cmd = "measure"
        }
      }
    }
  }

  # the result of ensure has no counterpart: if the hook fails, the build does not fail
  ensure {
    task "report" {
      # cache reports has no counterpart: caches are saved before the hooks of the job run
      run "shell" {
        cmd = "report"
      }
    }
  }
}
