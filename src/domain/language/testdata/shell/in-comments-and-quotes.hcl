# echo ${#arr}
/* ${TAG#v} " */ // ${a^^}
job "test" {
  task "t" {
    run "shell" {
      cmd = "\"${length("a # b")} ${lower("//")}\" $# ${a@Q}"
    }
  }
}
