# What HCL itself can compute works without functions.
variable "names" {
  type    = string
  default = "a"
}
job "a" {
  task "t" {
    run "exec" {
      path = "x"
      args = [for name in ["x", "y", var.names] : "--${name}" if name != "y"]
    }
  }
  task "u" {
    run "shell" {
      cmd = "%{ for i in [1, 2] }echo ${i}\n%{ endfor }%{ if var.names == "a" }yes%{ else }no%{ endif }"
    }
  }
}
