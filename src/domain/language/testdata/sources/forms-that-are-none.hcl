resource_type "a" {
  source = "git"
}
resource_type "b" {
  source = "file:///etc/passwd"
}
resource_type "c" {
  source = "svc://../x"
}
resource_type "d" {
  source = "https://name:password@types.example/d.hcl"
}
resource_type "e" {
  source = "ftp://types.example/e.hcl"
}
