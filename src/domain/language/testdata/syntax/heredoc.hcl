# A heredoc keeps its lines; with a dash the common indentation goes.
plain = <<EOT
  two
    four
EOT
flush = <<-EOT
  two
    four
  EOT
none = <<E
E
