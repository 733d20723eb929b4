# Without a default: empty, 0, false, the first option, nothing.
job "a" {
  input "text" {
    type = string
    description = "say something"
  }
  input "count" {
    type = number
  }
  input "force" {
    type = bool
  }
  input "environment" {
    type = choice
    options = ["dev", "prod"]
  }
  input "targets" {
    type = list
    options = ["a", "b"]
  }
  input "names" {
    type = list
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
