# What could not be read has no value, and harms nothing else.
job "a" {
  task "t" {
    run "shell" {
      cmd = "echo ${B[
    }
  }
}
