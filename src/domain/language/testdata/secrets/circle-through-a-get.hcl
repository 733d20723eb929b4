secret_type "safe" {
  get "shell" {
    cmd = "safe-to-json --token ${var.a}"
  }
}
variable "a" {
  type = string
  secret "safe" {
    key = "y"
  }
}
