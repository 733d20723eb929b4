# Variables: types, values, names.
variable "no_type" {
  default = "x"
}
variable "wrong_type" {
  type = strng
}
variable "later_type" {
  type = list(string)
}
variable "integer" {
  type = integer
}
variable "wrong_default" {
  type    = number
  default = "1"
}
variable "no_value" {
  type = string
}
variable "not_a_number" {
  type = number
}
variable "not_a_bool" {
  type = bool
}
variable "secret_number" {
  type = number
}
variable "twice" {
  type    = string
  default = "a"
}
variable "twice" {
  type    = string
  default = "b"
}
variable "not a name" {
  type    = string
  default = "b"
}
job "a" {
  task "t" {
    run "shell" {
      cmd = "${var.no_type} ${var.no_value} ${var.wrong_default}"
    }
  }
}
