# A given value comes before the default, and takes the declared type.
variable "text" {
  type    = string
  default = "no"
}
variable "number" {
  type = number
}
variable "flag" {
  type    = bool
  default = false
}
variable "quoted" {
  type    = "string"
  default = "yes"
}
variable "empty" {
  type    = string
  default = ""
}
resource_type "t" {
  params = ["all"]
  check "shell" {
    cmd = "x"
  }
}
resource "t" "a" {
  params {
    all = "${var.text} ${var.number + 1} ${var.flag ? "on" : "off"} ${var.quoted} ${var["empty"]}."
  }
}
