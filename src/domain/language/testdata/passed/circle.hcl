resource "cron" "day" {}
job "a" {
  get "cron" "day" {
    passed = ["c"]
  }
}
job "b" {
  get "cron" "day" {
    passed = ["a"]
  }
}
job "c" {
  get "cron" "day" {
    passed = ["b"]
  }
}
