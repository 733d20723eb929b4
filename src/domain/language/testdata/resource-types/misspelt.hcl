resource_type "t" {
  chekc "shell" {
    cmd = "x"
  }
  parms = ["x"]
}
