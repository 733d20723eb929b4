job "deploy" {
  identity {
    audience = "sts.amazonaws.com"
  }
  task "push" {
    run "shell" { cmd = "true" }
  }
}
