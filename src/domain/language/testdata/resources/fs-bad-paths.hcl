variable "place" {
  type = string
  secret "kubernetes" {
    path = "places"
    key  = "in"
  }
}
resource "fs" "relative" {
  params {
    path = "data/in"
  }
}
resource "fs" "above" {
  params {
    path = "/data/../in"
  }
}
resource "fs" "double" {
  params {
    path = "/data//in"
  }
}
resource "fs" "secret" {
  params {
    path = "/data/${var.place}"
  }
}
resource "fs" "fine" {
  params {
    path = "/data/in.d/..well/"
  }
}
resource "fs" "none" {}
