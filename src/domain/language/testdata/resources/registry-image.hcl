resource "registry-image" "base" {
  params {
    repository  = "docker.io/library/node"
    semver      = ">=24.1 <25 || ^26"
    prereleases = true
    format      = "oci"
    platform    = "linux/arm64"
  }
}
resource "registry-image" "app" {
  params {
    repository = "registry.example.org:5000/team/app"
    tag        = "edge"
    username   = "robot"
    password   = "known"
    insecure   = false
    name       = "images/app"
  }
}
