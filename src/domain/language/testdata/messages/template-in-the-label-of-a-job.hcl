# The name of the job is not judged.
job "${var.x}" {
  task "t" {
    run "shell" {
      cmd = "x"
    }
  }
}
