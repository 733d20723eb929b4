resource_type "t" {
  check "shell" {
    cmd = "echo '[]'"
  }
  pull "shell" {
    cmd = "true"
  }
}

resource "t" "app" {
  old_name = "repo"
}

resource "t" "docs" {
  old_name = "t.texts"
}

resource "t" "each" {
  for_each = toset(["a", "b"])
  old_name = "every"
}

job "test" {
  old_name = "unit"
  get "t" "app" {
    trigger = true
  }
}

job "deploy" {
  for_each = toset(["eu", "us"])
  old_name = "ship"
  get "t" "docs" {
    trigger = true
  }
}
