variable "token" {
  type = string
  secret "env" {
    key = "A"
  }
  secret "env" {
    key = "B"
  }
}
