job "a" {
  task "t" {
    run "shell" {
      cmd = "${md5("a")} ${file("x")} ${uuid()} ${try(1, 2)} ${env("HOME")} ${lenght([])} ${hostname()}"
    }
  }
}
