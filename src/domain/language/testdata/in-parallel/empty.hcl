job "a" {
  in_parallel {}
}
