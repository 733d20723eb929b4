# Until there is a way to give a key.
resource "git" "a" {
  params {
    url  = "ssh://git@forge.example:2222/team/app.git"
    name = "a"
  }
}
resource "git" "b" {
  params {
    url  = "git@forge.example:team/app.git"
    name = "b"
  }
}
