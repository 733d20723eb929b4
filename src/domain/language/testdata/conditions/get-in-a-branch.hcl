resource "cron" "day" {}
job "a" {
  input "a" {
    type = string
  }
  if "$INPUT_A == 1" {
    get "cron" "day" {}
  }
}
