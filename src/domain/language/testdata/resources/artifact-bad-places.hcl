resource "artifact" "nowhere" {}
resource "artifact" "half" {
  params {
    bucket   = "files"
    endpoint = "https://store.example"
  }
}
resource "artifact" "both" {
  params {
    base_dir = "/srv/files"
    bucket   = "files"
  }
}
resource "artifact" "bad" {
  params {
    bucket            = "No_Bucket"
    endpoint          = "https://store.example/path"
    region            = "a:b"
    prefix            = "a/../b"
    max_size_mb       = "5001"
    access_key_id     = "a"
    secret_access_key = "b"
  }
}
resource "artifact" "relative" {
  params {
    base_dir = "files"
  }
}
resource "artifact" "fine" {
  params {
    bucket            = "files"
    endpoint          = "http://store.example:9000/"
    region            = "eu-central-1"
    prefix            = "blue/out/"
    max_size_mb       = "5000"
    access_key_id     = "a"
    secret_access_key = "b"
  }
}
