variable "x" {
  type    = string
  default = "a"
}
resource "cron" "day" {}
job "a" {
  if "one" {
    condition = var.x == "prod"
    put "cron" "day" {}
  }
}
