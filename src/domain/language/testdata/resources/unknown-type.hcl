resource "gti" "app" {}
