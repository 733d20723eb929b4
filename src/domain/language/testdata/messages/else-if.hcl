resource "cron" "day" {}
job "a" {
  input "env" {
    type = string
  }
  if "$INPUT_ENV == 'a'" {
    get "cron" "day" {}
  }
  else if "$INPUT_ENV == 'b'" {
    get "cron" "day" {}
  }
}
