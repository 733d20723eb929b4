# Quotes inside a text need a backslash.
job "a" {
  task "t" {
    run "shell" {
      cmd = "echo "hi""
    }
  }
}
