job "test" {
  task "t" {
    run "shell" {
      cmd = <<-EOT
        greet() { echo "hello ${1}"; }
        # ${2} in a comment of the shell is filled in too
        greet world ${ 80 } $1 $${3}
      EOT
    }
  }
}
# ${4} in a comment of HCL is nothing.
