# A value of a wrong type does not hide the wrong names.
job "a" {
  task "t" {
    env = {
      "A-B"   = "x"
      WORKDIR = "y"
      C       = ["x"]
    }
    run "shell" {
      cmd = "true"
    }
  }
}
