variable "versions" {
  type    = list(string)
  default = ["1", "2"]
}
job "test" {
  matrix {
    v = var.versions
  }
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
