notification "slak" "a" {}
