job "a" {
  task "t" {}
}
