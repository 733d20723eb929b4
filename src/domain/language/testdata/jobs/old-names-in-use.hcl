resource_type "t" {
  check "shell" {
    cmd = "echo '[]'"
  }
  pull "shell" {
    cmd = "true"
  }
}

resource "t" "app" {
  old_name = "docs"
}

resource "t" "docs" {
  old_name = "t.docs"
}

resource "t" "one" {
  old_name = "gone"
}

resource "t" "two" {
  old_name = "gone"
}

job "unit" {
  old_name = "lint"
  get "t" "app" {}
}

job "lint" {
  old_name = "unit"
  get "t" "app" {}
}

job "a" {
  old_name = "former"
  get "t" "app" {}
}

job "b" {
  old_name = "former"
  get "t" "app" {}
}

job "same" {
  old_name = "same"
  get "t" "app" {}
}
