# What is wrong with the configuration of a type is reported there once, used or not.
secret_type "settings" {
  source = "svc://file"
  path   = "folder/settings"
  format = "toml"
}
secret_type "misspelt" {
  source = "svc://file"
  fromat = "raw"
}
secret_type "safe" {
  source = "svc://vault"
  token  = "t"
}
secret_type "numbered" {
  source = "svc://store"
  path   = "tokens"
}
variable "one" {
  type = string
  secret "settings" {
    key = "one"
  }
}
variable "two" {
  type = string
  secret "settings" {
    key = "two"
  }
}
variable "three" {
  type = string
  secret "numbered" {
    key = "three"
  }
}
