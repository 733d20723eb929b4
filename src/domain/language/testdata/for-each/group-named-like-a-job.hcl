job "test" {
  for_each = toset(["unit"])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
job "test" {
  task "t" {
    run "shell" {
      cmd = "true"
    }
  }
}
