# Templates: attributes of the caller by name, its args as they are.
runner_type "ssh" {
  run {
    path = "ssh"
    args = ["-p", "$port", "$host", "cd $WORKDIR;", "$args"]
  }
}
job "a" {
  task "t" {
    run "ssh" {
      host = "a.example"
      port = 22
      args = ["make", "$HOME"]
    }
  }
}
