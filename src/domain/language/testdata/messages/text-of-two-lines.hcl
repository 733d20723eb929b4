# The help says how to write a text of several lines.
job "a" {
  task "t" {
    run "shell" {
      cmd = "echo one
      echo two"
    }
  }
}
