# The syntax error loses what is on its line: a closing brace, params, a command. Nothing that lacks them is reported.
resource "fs" "a" { params { path = "rel/x" } }
job "a" {
  task "t" { run "shell" { cmd = "make" } }
}
job "b" {
  task "t" {
    run "shell" {
      cmd = "make"
    }
  }
}
