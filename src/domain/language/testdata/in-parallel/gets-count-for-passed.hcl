resource "cron" "day" {}
job "a" {
  in_parallel {
    get "cron" "day" {}
  }
}
job "b" {
  get "cron" "day" {
    passed = ["a"]
  }
}
job "c" {
  in_parallel {
    get "cron" "day" {
      passed = ["b"]
    }
  }
}
