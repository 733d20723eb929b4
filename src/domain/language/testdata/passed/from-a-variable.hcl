variable "gates" {
  type    = list(string)
  default = ["a"]
}
resource "cron" "day" {}
job "a" {
  get "cron" "day" {
    trigger = true
  }
}
job "b" {
  get "cron" "day" {
    passed = var.gates
  }
}
