# Images that cannot be.
job "a" {
  task "a" {
    run "docker" {
      image = "node:$GET_APP_REF"
      cmd   = "x"
    }
  }
  task "b" {
    run "docker" {
      image = "node:$${TAG}"
      cmd   = "x"
    }
  }
  task "c" {
    run "docker" {
      image = "Node 24"
      cmd   = "x"
    }
  }
  task "d" {
    run "docker" {
      image = ""
      cmd   = "x"
    }
  }
  task "e" {
    run "docker" {
      image = "-v/:/host"
      cmd   = "x"
    }
  }
}
