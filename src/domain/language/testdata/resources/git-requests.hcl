# Both the bool and the text "true" are accepted.
resource "git" "app" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    token    = "t"
    pr       = true
    provider = "forge_c"
  }
}
resource "git" "tags" {
  params {
    url  = "https://forge.example/app.git"
    name = "app"
    token = "t"
    tag   = "true"
  }
}
