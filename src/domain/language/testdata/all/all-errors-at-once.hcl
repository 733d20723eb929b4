# Errors of every kind are told together, in the order of the text.
variable "a" {
  type = strng
}
resource "gti" "app" {}
resource "cron" "c" {
  check_interval = "@every 1s"
}
notification "slack" "s" {
  on   = ["all", "failure"]
  jobs = ["nobody"]
  params {
    webhook_url = "https://chat.example/hook"
  }
}
job "x" {
  timeout = "90"
  get "cron" "d" {
    passed = ["y"]
  }
  if "$A" {
    task "t" {
      run "shel" {
        cmd = "x"
      }
    }
  }
}
