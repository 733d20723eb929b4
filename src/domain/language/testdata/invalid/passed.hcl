# Every way in which passed cannot be.
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
  }
}

resource "cron" "day" {}
job "a" {
  get "git" "app" {
    passed = ["unti", "nothing"]
  }
}
job "unit" {
  get "cron" "day" {}
}
job "never" {
  get "git" "app" {
    passed = ["unit"]
  }
}
job "self" {
  get "git" "app" {
    passed = ["self"]
  }
}
