job "a" {
  if "a == a" {}
  else {}
}
