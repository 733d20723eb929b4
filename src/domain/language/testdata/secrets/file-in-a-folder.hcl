variable "token" {
  type = string
  secret "file" {
    path = "tokens/forge.json"
    key  = "token"
  }
}
variable "other" {
  type = string
  secret "file" {
    key = "content"
  }
}
