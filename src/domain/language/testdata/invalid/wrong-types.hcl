# Every wrong type, at the value.
resource_type "t" {
  params = "url"
  check "exec" {
    path = ["x"]
    args = ["a", 1, null]
  }
}
resource "cron" "a" {
  check_interval = 5
}
job "a" {
  get "cron" "a" {
    trigger = 1
    passed  = [["x"]]
  }
  task "t" {
    run "shell" {
      cmd = true
    }
  }
}
resource "git" "app" {
  params {
    url  = ["https://forge.example/app.git"]
    name = {}
  }
}
