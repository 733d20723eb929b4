# No elements, no job.
job "test" {
  for_each = toset([])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
job "b" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
