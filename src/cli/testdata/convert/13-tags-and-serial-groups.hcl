resource "git" "app" {
  check_interval = "@every 1m"

  params {
    name       = "app"
    url        = "https://git.example.org/app.git"
    submodules = true
  }
}

job "train" {
  concurrency   = 1
  serial_groups = ["prod-db-2", "prod-db"]
  # tags of steps become tags of the job, whose Pod runs all steps
  tags = ["gpu", "big"]

  task "step" {
    run "shell" {
      cmd = "true"
    }
  }

  task "two" {
    run "shell" {
      cmd = "true"
    }
  }

  task "three" {
    run "shell" {
      cmd = "true"
    }
  }

  task "four" {
    run "shell" {
      cmd = "true"
    }
  }

  task "five" {
    run "shell" {
      cmd = "true"
    }
  }

  task "six" {
    run "shell" {
      cmd = "true"
    }
  }

  task "seven" {
    run "shell" {
      cmd = "true"
    }
  }

  task "eight" {
    run "shell" {
      cmd = "true"
    }
  }

  task "nine" {
    run "shell" {
      cmd = "true"
    }
  }

  task "ten" {
    run "shell" {
      cmd = "true"
    }
  }

  task "eleven" {
    run "shell" {
      cmd = "true"
    }
  }
}

job "migrate" {
  concurrency   = 1
  serial_groups = ["prod-db-2", "prod", "env"]

  task "step" {
    run "shell" {
      cmd = "true"
    }
  }
}

job "restore" {
  concurrency   = 1
  serial_groups = ["prod", "gro-e", "unnamed"]

  task "step" {
    run "shell" {
      cmd = "true"
    }
  }
}
