resource "cron" "day" {}
job "a" {
  if "$INPUT_A == 1" {
    get "cron" "day" {}
  }
}
