job "a" {
  input "text" {
    type = string
    default = 1
  }
  input "count" {
    type = number
    default = "one"
  }
  input "environment" {
    type = choice
    options = ["dev", "prod"]
    default = "stage"
  }
  input "targets" {
    type = list
    options = ["a", "b"]
    default = ["a", "x"]
  }
  input "names" {
    type = list
    default = "a"
  }
  input "more" {
    type = list
    default = ["a,b"]
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
