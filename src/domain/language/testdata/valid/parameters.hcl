# Numbers and bools become text, null is as if it were not there, order is kept.
variable "port" {
  type    = number
  default = 8080
}
resource_type "t" {
  params = ["text", "number", "big", "yes", "none", "mixed", "empty"]
  check "shell" {
    cmd = "x"
  }
}
resource "t" "a" {
  params {
    text   = "x"
    number = 1.50
    big    = 12345678901234567890123
    yes    = true
    none   = null
    mixed  = "${var.port}/${true}"
    empty  = ""
  }
}
