job "a" {
  task "t" {
    run "docker" {
      image = "registry.example/app:$GET_APP_REF"
      cmd   = "true"
    }
  }
}
