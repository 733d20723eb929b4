job "a" {
  identity "empty" { audience = "" }
  identity "blank" { audience = "two words" }
  identity "long" { audience = join("", [for n in range(256) : "x"]) }
  identity "none" {}
  identity "number" { audience = 1 }
  task "t" {
    run "shell" { cmd = "true" }
  }
}
