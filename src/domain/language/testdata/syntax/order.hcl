# Attributes and blocks keep the order of the file, whatever they are called.
z = 1
get "b" {}
a = 2
task "x" {}
get "a" {
  passed = ["q"]
  put "c" {}
  trigger = true
}
