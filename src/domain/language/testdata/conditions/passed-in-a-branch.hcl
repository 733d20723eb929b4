resource "cron" "day" {}
job "a" {
  get "cron" "day" {}
}
job "b" {
  if "$INPUT_A == 1" {
    get "cron" "day" {
      passed = ["a"]
    }
  }
}
