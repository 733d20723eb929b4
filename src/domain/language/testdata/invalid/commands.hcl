# What runners need.
job "a" {
  task "exec" {
    run "exec" {}
  }
  task "empty path" {
    run "exec" {
      path = ""
    }
  }
  task "neither" {
    run "shell" {}
  }
  task "both" {
    run "shell" {
      cmd  = "x"
      file = "y"
    }
  }
  task "empty file" {
    run "shell" {
      file = ""
    }
  }
  task "empty shell" {
    run "shell" {
      cmd   = "x"
      shell = ""
    }
  }
  task "docker" {
    run "docker" {}
  }
  task "unknown" {
    run "dokcer" {
      image = "x"
    }
  }
  task "unknown too" {
    run "podman" {}
  }
}
resource_type "t" {
  check "exec" {}
}
