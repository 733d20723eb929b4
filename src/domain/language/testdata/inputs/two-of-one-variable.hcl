# Both would be $INPUT_MY_ENV.
job "a" {
  input "my-env" {
    type = string
  }
  input "my_env" {
    type = string
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
