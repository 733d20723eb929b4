resource "cron" "day" {}
job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  ensure {
    get "cron" "day" {}
  }
}
