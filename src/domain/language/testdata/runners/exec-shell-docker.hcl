# The three runners that everybody has.
job "a" {
  task "program" {
    run "exec" {
      path = "make"
      args = ["-j", "$HOME is not expanded"]
    }
  }
  task "script" {
    run "shell" {
      cmd = "make"
    }
  }
  task "bash" {
    run "shell" {
      cmd   = "make"
      shell = "bash"
    }
  }
  task "file" {
    run "shell" {
      file = "ci/test.sh"
    }
  }
  task "image" {
    run "docker" {
      image = "golang:1.24"
      cmd   = "go test ./..."
    }
  }
}
