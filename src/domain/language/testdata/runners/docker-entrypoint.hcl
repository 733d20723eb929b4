# Docker takes an empty entrypoint for none, and a script has one already.
job "a" {
  task "empty" {
    run "docker" {
      image = "registry.example/plugin:1"
      args  = ["--entrypoint="]
    }
  }
  task "nothing" {
    run "docker" {
      image = "registry.example/plugin:1"
      args  = ["--entrypoint"]
    }
  }
  task "script" {
    run "docker" {
      image = "registry.example/plugin:1"
      cmd   = "true"
      args  = ["--entrypoint", "/bin/plugin-lint"]
    }
  }
}
