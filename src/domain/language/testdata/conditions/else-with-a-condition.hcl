job "a" {
  if "a == a" {
    task "a" {
      run "shell" {
        cmd = "true"
      }
    }
  }
  else "b == b" {
    task "b" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
