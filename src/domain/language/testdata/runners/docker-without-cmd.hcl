# The image says what runs. Images made for other CI systems take their settings from variables.
job "a" {
  task "publish" {
    env = { PLUGIN_TAGS = "latest" }
    run "docker" {
      image = "registry.example/plugin:1"
      env   = { PLUGIN_REPO = "team/app" }
      args  = ["-e", "PLUGIN_DEBUG=true", "--network=host"]
    }
  }
  task "another-program" {
    run "docker" {
      image = "registry.example/plugin:1"
      args  = ["--entrypoint", "/bin/plugin-lint"]
    }
  }
  task "joined-by-equals" {
    run "docker" {
      image = "registry.example/plugin:1"
      args  = ["--entrypoint=/bin/plugin-lint"]
    }
  }
}
