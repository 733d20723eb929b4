# With the attribute the label is only a name, as real pipelines write it.
variable "env" {
  type    = string
  default = "prod"
}
job "a" {
  for_each = toset(["x", "y"])
  input "target" {
    type = string
  }
  if "check-prod" {
    condition = "$INPUT_TARGET == ${each.key} && ${var.env} == prod"
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else_if "otherwise, by hand" {
    condition = "$INPUT_TARGET != ''"
    task "u" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else {
    task "v" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
