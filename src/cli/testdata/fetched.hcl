resource_type "foo" {
  source = "https://types.example.org/foo.hcl"
}

resource "foo" "x" {}

job "a" {
  get "foo" "x" {}
}
