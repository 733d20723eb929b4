resource "git" "app" {
  params {
    url  = "https://me:secret@forge.example/app.git"
    name = "app"
  }
}
