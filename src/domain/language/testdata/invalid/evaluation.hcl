# What HCL says while it computes is kept in its words.
variable "n" {
  type    = number
  default = 0
}
job "a" {
  task "t" {
    run "exec" {
      path = "x"
      args = ["${1 / var.n}", "a" + 1, var.n ? "x" : "y", [1][2], { a = 1 }.b]
    }
  }
}
