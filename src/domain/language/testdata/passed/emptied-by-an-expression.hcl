# A gate never vanishes in silence; null and a list that is written empty say plainly that there is none.
variable "gates" {
  type    = list(string)
  default = []
}
resource "cron" "day" {}
job "test" {
  get "cron" "day" {
    trigger = true
  }
}
job "deploy" {
  get "cron" "day" {
    trigger = true
    passed  = [for gate in ["test"] : gate if gate == "tests"]
  }
}
job "ship" {
  get "cron" "day" {
    trigger = true
    passed  = var.gates
  }
}
job "publish" {
  get "cron" "day" {
    trigger = true
    passed  = []
  }
}
job "announce" {
  get "cron" "day" {
    trigger = true
    passed  = length(var.gates) > 0 ? var.gates : null
  }
}
