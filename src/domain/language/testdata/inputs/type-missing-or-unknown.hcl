job "a" {
  input "a" {
    default = "x"
  }
  input "b" {
    type = strng
  }
  input "c" {
    type = "string"
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
