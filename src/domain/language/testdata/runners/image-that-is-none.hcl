job "a" {
  task "t" {
    run "docker" {
      image = "Not An Image"
      cmd   = "true"
    }
  }
}
