# The # begins a comment of HCL, which hides the closing brace and all that follows.
job "test" {
  task "t" {
    run "shell" {
      cmd = "echo ${#arr}"
    }
  }
  tsk "x" {}
}
