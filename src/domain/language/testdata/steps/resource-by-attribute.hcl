resource "cron" "day" {}
resource "cron" "night" {}
resource "trigger" "done" {
  for_each = toset(["cart"])
}
job "a" {
  get "cron" "day" {
    resource = "cron.day"
  }
  get "cron" {}
  get {}
  get "name with space" {
    resource = "cron.day"
  }
  get "twice" {
    resource = "cron.dya"
  }
  get {
    resource = "trigger.done--crat"
  }
  get "none" {
    resource = null
  }
  get "number" {
    resource = 1
  }
  put "far" "too" "many" {
    resource = "trigger.done--cart"
  }
  get "night" {
    resource = "cron.night"
  }
  get {
    resource = "cron.night"
  }
}
