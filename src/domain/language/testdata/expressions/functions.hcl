# Functions are Terraform's; the tables of functions/ have them all.
runner_type "show" {
  run {
    path = "show"
  }
}
job "a" {
  task "t" {
    run "show" {
      a = format("%s-%03d", "x", 7)
      b = join("/", sort(["b", "a"]))
      c = jsonencode({ k = [1, true, null] })
      d = replace("a.b", ".", "-")
    }
  }
}
