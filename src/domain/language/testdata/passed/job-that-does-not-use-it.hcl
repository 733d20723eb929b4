resource "cron" "day" {}
job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "b" {
  get "cron" "day" {
    passed = ["a"]
  }
}
