job "a" {
  if "a == a" {
    condition = "b == b"
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
