job "test" {
  for_each = { a = { x = "1" }, b = { y = "2" } }
  task "t" {
    run "shell" {
      cmd = each.value.x
    }
  }
}
