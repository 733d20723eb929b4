# What a variable of the pipeline says becomes text of the condition while it is read, so it is quoted like any other.
variable "name" {
  type    = string
  default = "x || a == a"
}
job "a" {
  input "name" {
    type = string
  }
  if {
    condition = "$INPUT_NAME == '${var.name}'"
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
