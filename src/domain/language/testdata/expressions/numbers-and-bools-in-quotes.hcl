variable "replicas" {
  type    = number
  default = 3
}
variable "loud" {
  type    = bool
  default = true
}
job "scale" {
  task "scale" {
    run "exec" {
      path = "${var.loud}"
      args = ["--to", "${var.replicas}", "${-1.50}"]
    }
  }
}
