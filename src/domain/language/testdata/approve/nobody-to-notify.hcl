job "a" {
  approve "x" {
    notify "slack" "ops" {}
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
