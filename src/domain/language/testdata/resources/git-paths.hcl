resource "git" "app" {
  params {
    url          = "https://forge.example/app.git"
    name         = "app"
    paths        = "services/cart, go.mod"
    ignore_paths = "*.md"
    skip_ci      = "false"
  }
}

job "test" {
  get "git" "app" {}
}
