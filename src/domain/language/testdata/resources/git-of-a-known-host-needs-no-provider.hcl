resource "git" "a" {
  params {
    url   = "https://github.com/o/r.git"
    name  = "a"
    token = "t"
    pr    = true
  }
}
