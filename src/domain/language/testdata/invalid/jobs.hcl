# Names of jobs and tasks, and what steps name.
job "a" {
  get "git" "nothing" {}
  put "cron" "c" {}
  get "pushy" "p" {}
  task "" {
    run "shell" {
      cmd = "x"
    }
  }
  put "pushy" "p" {
    file = "a"
    params {
      file = "b"
    }
  }
}
job "a" {}
job "with space" {}
resource "cron" "c" {}
resource_type "pushy" {
  push "shell" {
    cmd = "x"
  }
}
resource "pushy" "p" {}
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
