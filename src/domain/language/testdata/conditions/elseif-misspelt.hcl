job "a" {
  if "a == a" {
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  elseif "b == b" {
    task "u" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else_fi "b == b" {}
}
