# A file that was saved on Windows: no carriage return gets into a script.
job "a" {
  task "greet" {
    run "shell" {
      cmd = <<-EOT
        echo one
        echo two
      EOT
    }
  }
}
