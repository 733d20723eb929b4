# Later steps would see the values of the later one only.
resource "cron" "day" {}
resource "trigger" "day" {}
job "a" {
  get "cron" "day" {}
  get "trigger" "day" {}
  task "a b" {
    run "shell" {
      cmd = "true"
    }
  }
  task "a-b" {
    run "shell" {
      cmd = "true"
    }
  }
}
