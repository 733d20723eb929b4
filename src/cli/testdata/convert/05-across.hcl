resource_type "s3" {
  protocol = "concourse"
  image    = "concourse/s3-resource:1.3.0"
}

resource "git" "app" {
  check_interval = "@every 1m"

  params {
    name       = "app"
    url        = "https://git.example.org/app.git"
    submodules = true
  }
}

resource "s3" "bucket" {
  params {
    bucket = "packages"
    regexp = "app-(.*).tgz"
  }
}

job "matrix" {
  get "git" "app" {
    trigger = true
    version = "latest"
  }

  in_parallel {
    fail_fast = true

    task "test-linux go=1.24, system=linux" {
      env = {
        GOOS        = "linux"
        CGO_ENABLED = "1"
        ALL         = "{\"name\":\"linux\",\"cgo\":1}"
      }
      timeout = "20m"

      run "docker" {
        image = "golang:1.24"
        cmd   = "go test -C app ./..."
      }
    }

    task "test-windows go=1.24, system=windows" {
      env = {
        GOOS        = "windows"
        CGO_ENABLED = "0"
        ALL         = "{\"name\":\"windows\",\"cgo\":0}"
      }
      timeout = "20m"

      run "docker" {
        image = "golang:1.24"
        cmd   = "go test -C app ./..."
      }
    }

    task "test-linux go=1.25, system=linux" {
      env = {
        GOOS        = "linux"
        CGO_ENABLED = "1"
        ALL         = "{\"name\":\"linux\",\"cgo\":1}"
      }
      timeout = "20m"

      run "docker" {
        image = "golang:1.25"
        cmd   = "go test -C app ./..."
      }
    }

    task "test-windows go=1.25, system=windows" {
      env = {
        GOOS        = "windows"
        CGO_ENABLED = "0"
        ALL         = "{\"name\":\"windows\",\"cgo\":0}"
      }
      timeout = "20m"

      run "docker" {
        image = "golang:1.25"
        cmd   = "go test -C app ./..."
      }
    }

    on_failure {
      put "s3" "bucket" {
        params {
          file = "a.tgz"
        }
      }

      put "s3" "bucket" {
        params {
          file = "b.tgz"
        }
      }
    }
  }

  # steps that need an order have no counterpart in a group: they run after it
  task "build" {
    run "shell" {
      cmd = "make cart"
    }
  }

  put "s3" "bucket" {
    params {
      file = "app/cart.tgz"
    }
  }

  # steps that need an order have no counterpart in a group: they run after it
  task "build" {
    run "shell" {
      cmd = "make pay"
    }
  }

  put "s3" "bucket" {
    params {
      file = "app/pay.tgz"
    }
  }

  in_parallel {
    # groups cannot be nested, so max_in_flight and fail_fast of across are left out
    put "s3" "bucket" {
      params {
        number = 1
        file   = "x"
      }
    }

    put "s3" "bucket" {
      params {
        number = 2
        file   = "x"
      }
    }
  }
}
