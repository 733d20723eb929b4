job "a" {
  input "environment" {
    type = choice
  }
  input "other" {
    type = choice
    options = []
  }
  input "text" {
    type = number
    options = ["a"]
  }
  input "targets" {
    type = list
    options = ["a,b"]
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
