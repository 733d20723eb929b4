# The key of this host is published, so it needs no known_hosts.
resource "git" "a" {
  params {
    url         = "git@github.com:team/app.git"
    name        = "a"
    private_key = "given"
  }
}
resource "git" "b" {
  params {
    url         = "ssh://git@forge.example:2222/team/app.git"
    name        = "b"
    private_key = "given"
    known_hosts = "[forge.example]:2222 ssh-ed25519 AAAA"
    tag         = true
  }
}
