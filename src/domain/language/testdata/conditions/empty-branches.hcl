job "a" {
  if "1 == 1" {}
  else {}
}
