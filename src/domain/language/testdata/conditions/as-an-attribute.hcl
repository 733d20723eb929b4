# The attribute takes ${…}, which a label cannot.
variable "env" {
  type    = string
  default = "prod"
}
job "a" {
  input "env" {
    type = string
  }
  if {
    condition = "$INPUT_ENV == ${var.env}"
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
