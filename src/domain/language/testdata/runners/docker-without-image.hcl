job "a" {
  task "t" {
    run "docker" {}
  }
}
