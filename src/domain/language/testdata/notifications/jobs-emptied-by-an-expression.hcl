notification "slack" "ops" {
  on   = ["failure"]
  jobs = [for name in ["a"] : name if name == "b"]
  params {
    webhook_url = "https://chat.example"
  }
}
job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
