task "t" {
  run "shell" {
    cmd = "true"
  }
}
get "cron" "x" {}
secret "env" {
  key = "x"
}
