# The body is read all the same, without a word of what each would be.
job "test" {
  for_each = toset(var.nowhere)
  task "t" {
    run "shell" {
      cmd = "${each.key} ${nothing}"
    }
  }
}
