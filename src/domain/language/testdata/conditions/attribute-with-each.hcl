job "a" {
  for_each = toset(["x", "y"])
  input "target" {
    type = string
  }
  if {
    condition = "$INPUT_TARGET == ${each.key}"
    task "t" {
      run "shell" {
        cmd = "true"
      }
    }
  }
}
