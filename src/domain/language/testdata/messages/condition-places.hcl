resource "cron" "day" {}
job "a" {
  input "env" {
    type = string
  }
  if "$INPUT_ENV = 'a'" {
    get "cron" "day" {}
  }
  else_if "$INPUT_ENV == 'a' and $INPUT_ENV == 'b'" {
    get "cron" "day" {}
  }
  else_if "named" {
    condition = "$INPUT_ENV & 'a'"
    get "cron" "day" {}
  }
  else_if "$INPUT_ENV == \"a\" )" {
    get "cron" "day" {}
  }
}
