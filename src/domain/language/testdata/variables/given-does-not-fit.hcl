variable "port" {
  type = number
}
variable "debug" {
  type = bool
}
