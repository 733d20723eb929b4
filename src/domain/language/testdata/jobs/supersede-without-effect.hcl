resource_type "t" {
  check "shell" {
    cmd = "echo '[]'"
  }
  pull "shell" {
    cmd = "true"
  }
}

resource "t" "app" {}

job "unit" {
  supersede = false
  get "t" "app" {
    trigger = true
  }
}

job "ship" {
  supersede = false
  get "t" "app" {
    trigger = true
    passed  = ["unit"]
  }
}

job "all" {
  supersede = false
  get "t" "app" {
    trigger = true
    passed  = ["unit"]
    version = "every"
  }
}

job "latest" {
  supersede = false
  get "t" "app" {
    trigger = true
    version = "latest"
  }
}
