# The label is not judged, and neither is what follows.
job "a {
  task "t" {
    run "shell" {
      cmd = "make"
    }
  }
}
job "b" {
  nonsense = 1
}
