# Standard HCL: a block on one line holds one attribute and no block.
job "a" {
  task "t" { run "shell" { cmd = "true" } }
}
