# The message names the line in words.
job "a" {
  task "t" {
    run "shell" {
      cmd = <<-EOT
        %{ if true }
        make
      EOT
    }
  }
}
