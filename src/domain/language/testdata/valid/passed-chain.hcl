# passed joins jobs; what a job puts counts as used.
resource_type "artifact" {
  check "shell" {
    cmd = "x"
  }
  push "shell" {
    cmd = "x"
  }
}
resource "artifact" "bin" {}
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}

job "build" {
  get "git" "app" {
    trigger = true
  }
  put "artifact" "bin" {}
}
job "deploy" {
  get "artifact" "bin" {
    trigger = true
    passed  = ["build"]
  }
  get "git" "app" {
    passed = ["build", "build"]
  }
}
job "after" {
  get "artifact" "bin" {
    passed = ["deploy", "build"]
  }
}
