# With a sentence that helps.
job "a" {
  task "t" { run "exec" { path = "x" } }
}
