job "a" {
  identity { audience = "1" }
  identity { audience = "2" }
  identity "a-b" { audience = "3" }
  identity "A_B" { audience = "4" }
  identity "with space" { audience = "5" }
  identity "f" { audience = "6" }
  task "t" {
    run "shell" { cmd = "echo $MILLRACE_ID_TOKEN" }
    env = { MILLRACE_ID_TOKEN = "mine" }
  }
}
