# The parameters of a put stand in its body, in params, or both.
resource_type "t" {
  push "shell" {
    cmd = "x"
  }
}
resource "t" "a" {}
job "a" {
  put "t" "a" {
    version = 2
    params {
      file = "x"
      when = null
    }
    name = "n"
  }
}
