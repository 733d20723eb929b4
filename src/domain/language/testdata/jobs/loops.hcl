# A put makes a version, and a version triggers: those that would never end are told.
resource "git" "app" {
  params {
    url  = "http://git.example/app.git"
    name = "app"
  }
}
resource "trigger" "there" {}
resource "trigger" "back" {}
resource "trigger" "done" {}

job "bump" {
  get "git" "app" {
    trigger = true
  }
  in_parallel {
    task "t" {
      run "shell" {
        cmd = "true"
      }
      on_success {
        put "git" "app" {}
      }
    }
  }
}

job "there" {
  get "trigger" "back" {
    trigger = true
  }
  put "trigger" "there" {}
}

job "back" {
  get "trigger" "there" {
    trigger = true
    passed  = ["there"]
  }
  put "trigger" "back" {}
}

# Gated by a job that the loop does not go through, or not triggered: none.
job "source" {
  put "trigger" "done" {}
}

job "gated" {
  get "trigger" "done" {
    trigger = true
    passed  = ["source"]
  }
  put "trigger" "done" {}
}

job "by-hand" {
  get "git" "app" {}
  put "git" "app" {}
}
