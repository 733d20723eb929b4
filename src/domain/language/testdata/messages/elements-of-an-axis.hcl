resource "cron" "day" {}
job "a" {
  matrix {
    v = [null, {}]
    w = "x"
  }
  get "cron" "day" {}
}
