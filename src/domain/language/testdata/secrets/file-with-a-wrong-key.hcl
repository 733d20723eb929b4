variable "certificate" {
  type = string
  secret "file" {
    path = "ca.pem"
    key  = "certificate"
  }
}
