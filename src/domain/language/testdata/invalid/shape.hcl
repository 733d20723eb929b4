# Labels, blocks and attributes in the wrong form.
variable {
  type = string
}
job "a" "b" {
}
resource "git" {
}
job "c" {
  run "shell" {
    cmd = "x"
  }
  get "cron" {}
  task "two" {
    run "shell" {
      cmd = "x"
    }
    run "shell" {
      cmd = "y"
    }
  }
  task "none" {}
  task "attribute" {
    run = "x"
  }
  task "unlabelled" {
    run {
      cmd = "x"
    }
  }
}
resource_type "t" {
  params {
    url = 1
  }
  check = "x"
}
resource "cron" "d" {
  params = {
    url = "x"
  }
}
