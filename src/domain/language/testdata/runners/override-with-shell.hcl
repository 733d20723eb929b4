# A script cannot take over a program.
resource_type "a" {
  runner "shell" {
    cmd = "x"
  }
  check "exec" {
    path = "x"
  }
}
