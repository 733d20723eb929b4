# Lower case, and a hyphen for every other run of characters.
job "test" {
  for_each = toset(["1.21", "Go  Latest!", "ünïx"])
  task "t" {
    run "shell" {
      cmd = "echo ${each.key} ${each.value}"
    }
  }
}
