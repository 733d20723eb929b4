resource "http" "no_url" {
}
resource "http" "of_a_file" {
  params {
    url = "file:///etc/passwd"
  }
}
resource "http" "filter" {
  params {
    url       = "https://example.org/a"
    json_path = "env | .x"
  }
}
resource "http" "outside" {
  params {
    url  = "https://example.org/a"
    file = "../x"
  }
}
