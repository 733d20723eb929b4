variable "port" {
  type = number
  secret "env" {
    key = "PORT"
  }
}
