# The place is where the heredoc begins, not where the text ends.
job "a" {
  task "t" {
    run "shell" {
      cmd = <<-EOT
        make
        EOT .
    }
  }
}
