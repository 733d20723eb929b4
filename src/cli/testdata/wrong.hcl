variable "branch" {
  type = string
}

resource "git" "app" {
  check_intervall = "@every 30s"
  params {
    url = "https://git.example.org/app.git"
    name = "app"
  }
}

job "unit" {
  get "git" "app" {
    triger = true
  }
	tsk "x" {}
  get "git" "ap" { passed = ["nobody"] }
}
