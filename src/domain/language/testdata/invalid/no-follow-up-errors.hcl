# A declaration that is wrong is reported once, not again wherever it is used.
variable "broken" {
  type = nothing
}
resource_type "broken" {
  check "nobody" {}
}
resource "broken" "a" {}
resource "git" "b" {
  params {
    url  = var.broken
    name = "b"
  }
}
job "a" {
  get "broken" "a" {}
  put "broken" "a" {}
  task "t" {
    run "shell" {
      cmd = "${var.broken}"
    }
  }
}
job "b" {
  get "broken" "a" {
    passed = ["a"]
  }
}
