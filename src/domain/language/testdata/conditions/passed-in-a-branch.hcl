resource "cron" "day" {}
job "a" {
  get "cron" "day" {}
}
job "b" {
  input "a" {
    type = string
  }
  if "$INPUT_A == 1" {
    get "cron" "day" {
      passed = ["a"]
    }
  }
}
