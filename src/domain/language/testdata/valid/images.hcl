# Names of images in all their forms, and variables in them.
variable "tag" {
  type    = number
  default = 24
}
job "a" {
  task "a" {
    run "docker" {
      image = "node"
      cmd   = "x"
    }
  }
  task "b" {
    run "docker" {
      image = "node:${var.tag}"
      cmd   = "x"
    }
  }
  task "c" {
    run "docker" {
      image = "localhost:5000/a_b/c-d__e.f:V1.2_3-x"
      cmd   = "x"
    }
  }
}
