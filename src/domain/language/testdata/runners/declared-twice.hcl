runner_type "a" {
  run {
    path = "x"
  }
}
runner_type "a" {
  run {
    path = "y"
  }
}
