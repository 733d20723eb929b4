# What is doubled reaches the shell.
job "test" {
  task "t" {
    run "shell" {
      cmd = "echo $${#arr} $${TAG#v} $${1} %%{http_code}"
    }
  }
}
