variable "x" {
  type    = string
  default = "x"
}
job "a" {
  input "a" {
    type = string
    default = var.x
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
