# Standard HCL refuses a block inside a block of one line.
task "a" { run "exec" { path = "x" } }
