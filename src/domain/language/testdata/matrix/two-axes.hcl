# Axes in the order of their names, whatever the order in the text; instances in the order of their keys.
job "test" {
  matrix {
    os = ["linux", "mac"]
    go = ["1.21", "1.22"]
  }
  task "t" {
    run "shell" {
      cmd = "${each.key}: ${each.value.go} on ${each.value.os}"
    }
  }
}
