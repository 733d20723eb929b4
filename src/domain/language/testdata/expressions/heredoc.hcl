# An indented heredoc loses what all lines have in common; the shell's $ stays, ${…} is HCL's, $${…} the shell's.
variable "region" {
  type    = string
  default = "north"
}
job "a" {
  task "t" {
    run "shell" {
      cmd = <<-EOT
        echo $HOME
          echo ${var.region}
        echo $${HOME:-none}
      EOT
    }
  }
}
