# A brace too many ends the job early. What follows is not called misplaced.
resource "git" "app" {
  params {
    url "https://git.example.org/app.git"
    name = "app"
  }
}
job "a" {
  task "t" {
    run "shell" {
      cmd "make"
    }
  }
  }
  task "u" {
    inputs = ["a"]
    run "shell" {
      cmd = "make"
    }
  }
}
