# With an empty path nothing would run, and every step would succeed.
runner_type "nothing" {
  run {
    path = ""
  }
}
