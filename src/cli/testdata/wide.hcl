job "a" {
  task "日本語 🚀" { rum = 1 }
	task "tab"	{ nope = "x" }
}
