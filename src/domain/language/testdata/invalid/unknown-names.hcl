# Unknown blocks and attributes, with what was probably meant.
jbo "a" {}
locals {
  x = 1
}
trigger = true
job "a" {
  taks "t" {}
  get "git" "app" {
    triger  = true
    pased   = []
    unheard = 1
  }
  task "t" {
    run "shell" {
      command = "x"
    }
  }
}
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}
