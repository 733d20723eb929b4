job "a" {
  input "db" {
    type = string
  }
  if "$INPUT_DB == yes" {
    service "redis" {}
    in_parallel {
      task "x" {
        run "shell" {
          cmd = "true"
        }
      }
    }
  }
}
