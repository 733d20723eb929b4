job "a" {
  ensure "shell" {
    cmd = "true"
  }
}
