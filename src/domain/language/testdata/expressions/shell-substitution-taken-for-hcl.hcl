# What people write when they mean the shell.
job "a" {
  task "t" {
    run "shell" {
      cmd = "echo ${HOME} ${hostname()}"
    }
  }
}
