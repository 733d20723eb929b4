job "a" {
  for_each = toset(["x", "y"])
  if {
    condition = "$INPUT_TARGET == ${each.key}"
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
