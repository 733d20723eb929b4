variable "version" {
  type    = string
  default = "3.22"
}
job "a" {
  task "t" {
    run "docker" {
      image = "alpine:${var.version}"
      cmd   = "true"
    }
  }
}
