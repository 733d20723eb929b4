# Templates of HCL with errors of their own.
job "test" {
  task "t" {
    run "shell" {
      cmd = "${var.a +} ${upper("a") b}"
    }
  }
  task "u" {
    run "shell" {
      cmd = "${#arr}"
      env = { A = [ }
    }
  }
}
