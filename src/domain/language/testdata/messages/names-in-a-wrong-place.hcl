# Each message says what was probably meant.
job = "x"
variable "x" {
  type    = string
  default = "a"
}
resource "git" "app" {
  passed      = ["a"]
  trigger     = true
  version     = "every"
  check_every = "1m"
  params {
    url  = "https://github.com/a/b"
    name = "x"
  }
}
notification "slack" "c" {
  params {
    webhook_url = "https://x.example"
  }
}
job "a" {
  matrix {
    region = ["eu", "us", "eu"]
    size   = [1, 2]
  }
  get "git" "app" {
    trigger = yes
  }
  task "t" {
    run "shell" {
      cmd  = "x"
      args = ["a"]
    }
    on_failure {
      cmd = "x"
    }
  }
  notify "slack" "c" {
    params {
      message = "hi"
    }
  }
}
