# Steps run in the order of the file, whatever their kinds and names.

resource "git" "app" {
  params {
    url  = "http://forge.example/app.git"
    name = "app"
  }
}

job "unit" {
  task "z" {
    run "shell" {
      cmd = "true"
    }
  }
  get "git" "app" {}
  task "a" {
    run "shell" {
      cmd = "true"
    }
  }
  put "git" "app" {}
  task "m" {
    run "shell" {
      cmd = "true"
    }
  }
}
