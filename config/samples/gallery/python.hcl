# A Python package: tested, then built as a wheel that later jobs get from a volume of the team.

resource "git" "app" {
  check_interval = "@every 2m"

  params {
    url    = "https://git.example.org/team/app.git"
    name   = "app"
    branch = "main"
  }
}

# The Team declares the volume: spec.volumes has a claim that is mounted at /srv/exchange.
resource "artifact" "wheel" {
  params {
    base_dir = "/srv/exchange/wheels"
    dir      = "wheel"
  }
}

job "test" {
  get "git" "app" {
    trigger = true
  }

  task "test" {
    run "docker" {
      image = "docker.io/library/python:3.14"
      cmd   = <<-EOT
        cd app
        python -m venv ../venv
        ../venv/bin/pip install --quiet '.[test]'
        ../venv/bin/pytest
      EOT
    }
  }

  task "wheel" {
    run "docker" {
      image = "docker.io/library/python:3.14"
      cmd   = "venv/bin/pip wheel --quiet --no-deps --wheel-dir dist ./app"
    }
  }

  put "artifact" "wheel" {
    dir = "dist"
  }
}

# Another job, in another Pod, uses the same file.
job "try" {
  get "artifact" "wheel" {
    trigger = true
    passed  = ["test"]
  }

  task "install" {
    run "docker" {
      image = "docker.io/library/python:3.14"
      cmd   = "python -m venv venv && venv/bin/pip install wheel/*.whl"
    }
  }
}
