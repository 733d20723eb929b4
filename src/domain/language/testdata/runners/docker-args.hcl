# No docker command line runs here, so there is nothing that could take flags.
job "a" {
  task "t" {
    run "docker" {
      image = "alpine"
      cmd   = "true"
      args  = ["--privileged"]
    }
  }
}
