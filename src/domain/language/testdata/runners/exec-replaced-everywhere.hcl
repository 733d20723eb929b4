# A runner_type named exec takes the place of exec, in built-in types too.
runner_type "exec" {
  run {
    path = "nice"
    args = ["$path", "$args"]
  }
}
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
job "a" {
  task "t" {
    run "exec" {
      path = "make"
      args = ["test"]
    }
  }
}
