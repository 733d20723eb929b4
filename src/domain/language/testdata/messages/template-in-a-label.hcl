job "a" {
  for_each = toset(["x"])
  get "git" "${each.key}" {}
  approve "deploy to ${each.key}" {}
  task "t-${each.key}" {}
}
