# A name of a template that one caller gives and another lacks is empty there. Names that no caller has are the program's own.
runner_type "tool" {
  run {
    path = "sh"
    args = ["-c", "exec $tool --level $${level} $HOME $$", "$args", "$env", "$WORKDIR"]
  }
}
job "a" {
  task "whole" {
    run "tool" {
      tool  = "hammer"
      level = 3
    }
  }
  task "without level" {
    run "tool" {
      tool = "saw"
    }
  }
  ensure "tool" {
    tool = "broom"
  }
}
