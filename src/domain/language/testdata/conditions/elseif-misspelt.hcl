job "a" {
  if "1 == 1" {
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  elseif "2 == 2" {
    task "u" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else_fi "2 == 2" {}
}
