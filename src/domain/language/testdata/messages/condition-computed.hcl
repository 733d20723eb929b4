variable "where" {
  type    = string
  default = "two words"
}
variable "word" {
  type    = string
  default = "prod"
}
resource "cron" "day" {}
job "a" {
  input "env" {
    type = string
  }
  if "in a template" {
    condition = "$INPUT_ENV == ${var.where}"
    get "cron" "day" {}
  }
  else_if "behind a template" {
    condition = "$INPUT_ENV == ${var.word} and $INPUT_ENV != ''"
    get "cron" "day" {}
  }
  else_if "before a template, behind an escape" {
    condition = "$INPUT_ENV == \"ä\" & ${upper("}\"{")} == '${var.word}'"
    get "cron" "day" {}
  }
  else_if "between templates" {
    condition = "$INPUT_ENV == ${var.word} ! ${var.word}"
    get "cron" "day" {}
  }
  else_if "in lines" {
    condition = <<-EOT
      $INPUT_ENV == 'a' &&
        $INPUT_ENV = ${var.word}
    EOT
    get "cron" "day" {}
  }
  else_if "at the end of lines" {
    condition = <<EOT
$INPUT_ENV == 'a' ||
EOT
    get "cron" "day" {}
  }
  else_if "of a function" {
    condition = join(" = ", ["$INPUT_ENV", var.word])
    get "cron" "day" {}
  }
  else_if "with a directive" {
    condition = "$INPUT_ENV %{ if var.word == "prod" }=%{ endif } prod"
    get "cron" "day" {}
  }
}
job "each" {
  for_each = { a = "x", b = "y z", c = "v w" }
  if "in some instances" {
    condition = "$BUILD_NUMBER == ${each.value}"
    get "cron" "day" {}
  }
}
