# A name that no job or resource can have had.
resource "cron" "day" {
  old_name = ""
}
resource "cron" "night" {
  old_name = "cron app.night!"
}
resource "cron" "noon" {
  for_each = toset(["a", "b"])
  old_name = "mid day"
}
job "a" {
  old_name = ""
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
job "b" {
  for_each = toset(["x", "y"])
  old_name = "git app!"
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
