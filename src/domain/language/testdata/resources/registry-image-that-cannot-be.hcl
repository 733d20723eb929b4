resource "registry-image" "no_repository" {
}
resource "registry-image" "tag_in_the_name" {
  params {
    repository = "registry.example.org/app:1.2"
  }
}
resource "registry-image" "capitals" {
  params {
    repository = "team/App"
    tag        = "a b"
  }
}
resource "registry-image" "constraint" {
  params {
    repository  = "team/app"
    semver      = "newest"
    prereleases = "some"
  }
}
resource "registry-image" "both" {
  params {
    repository = "team/app"
    tag        = "1"
    semver     = "1.x"
  }
}
resource "registry-image" "prereleases" {
  params {
    repository  = "team/app"
    prereleases = true
  }
}
resource "registry-image" "half_a_login" {
  params {
    repository = "team/app"
    password   = "x"
    insecure   = "yes"
  }
}
resource "registry-image" "platform" {
  params {
    repository = "team/app"
    platform   = "linux"
    name       = "../app"
  }
}
resource "registry-image" "archive" {
  params {
    repository = "team/app"
    format     = "tar"
    platform   = "all"
  }
}
resource "registry-image" "format" {
  params {
    repository = "team/app"
    format     = "rootfs"
  }
}
