# A heredoc needs its marker alone on a line.
a = <<EOT
text EOT
