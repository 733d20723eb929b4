job "a" {
  tags = ["GPU"]
  serial_groups = ["the prod"]
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
