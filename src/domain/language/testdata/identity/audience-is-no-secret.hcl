variable "hidden" {
  type = string
  secret "kubernetes" {
    path = "clouds"
    key  = "audience"
  }
}
job "a" {
  identity { audience = var.hidden }
  task "t" {
    run "shell" { cmd = "true" }
  }
}
