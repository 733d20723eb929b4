# exec, shell (a script or a file) and docker.
job "a" {
  task "exec" {
    run "exec" {
      path = "make"
      args = ["-j", "2"]
    }
  }
  task "exec alone" {
    run "exec" {
      path = "make"
    }
  }
  task "shell" {
    run "shell" {
      cmd = <<-EOT
        set -u
        echo "$GET_APP_REF" $${HOME}
      EOT
    }
  }
  task "bash" {
    run "shell" {
      cmd   = "echo"
      shell = "/bin/bash"
    }
  }
  task "file" {
    run "shell" {
      file = "app/ci.sh"
    }
  }
  task "docker" {
    run "docker" {
      image = "registry.example:5000/team/node:24-slim@sha256:0123456789012345678901234567890123456789012345678901234567890123"
      cmd   = "npm test"
    }
  }
}
