job "a" {
  if {
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
