job "test" {
  for_each = { small = { cpus = 1, tags = ["a"] }, large = { cpus = 8, tags = ["b", "c"] } }
  tags = each.value.tags
  task "t" {
    run "shell" {
      cmd = "test -j ${each.value.cpus}"
    }
  }
}
