# One job for each element, in the order of the keys; each.value is each.key.
job "test" {
  for_each = toset(["unit", "e2e"])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
