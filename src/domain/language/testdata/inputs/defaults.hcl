job "a" {
  input "text" {
    type = string
    default = "x"
  }
  input "count" {
    type = number
    default = 1.50
  }
  input "force" {
    type = bool
    default = true
  }
  input "environment" {
    type = choice
    options = ["dev", "prod"]
    default = "prod"
  }
  input "targets" {
    type = list
    options = ["a", "b", "c"]
    default = ["c", "a"]
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
