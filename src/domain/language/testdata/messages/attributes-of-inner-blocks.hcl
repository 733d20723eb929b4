resource "git" "app" {
  url  = "https://example.com/app.git"
  name = "app"
}
job "a" {
  get "git" "app" {}
  passed = ["b"]
  task "t" {
    image = "alpine"
    cmd   = "make"
  }
}
