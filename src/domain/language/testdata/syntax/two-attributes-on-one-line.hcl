# Standard HCL refuses two attributes in a block of one line.
run "exec" { path = "x" args = ["y"] }
