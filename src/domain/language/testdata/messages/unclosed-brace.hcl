job "a" {
  task "t" {
    run "shell" {
      cmd = "x"
    }
