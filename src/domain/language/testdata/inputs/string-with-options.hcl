# What real pipelines write: a string that is one of a few is a choice, and values of forms may be quoted.
job "a" {
  input "env" {
    type    = "string"
    options = ["staging", "production"]
    default = "production"
  }
  input "region" {
    type    = string
    options = ["europe", "america"]
  }
  input "dry_run" {
    type    = "bool"
    default = "false"
  }
  input "replicas" {
    type    = number
    default = "3"
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
