job "a" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
  on_sucess "shell" {
    cmd = "x"
  }
  finally "shell" {
    cmd = "x"
  }
}
