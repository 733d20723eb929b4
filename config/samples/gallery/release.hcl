# A tag releases: a new tag such as v1.4.0 builds that commit and puts the files where people fetch them.

variable "forge_token" {
  type = string

  secret "kubernetes" {
    path = "forge"
    key  = "token"
  }
}

resource "git" "tag" {
  check_interval = "@every 5m"

  params {
    url      = "https://git.example.org/team/app.git"
    name     = "app"
    provider = "gitea"
    token    = var.forge_token
    tag      = true
  }
}

# The Team declares the volume: spec.volumes has a claim that is mounted at /srv/downloads.
resource "artifact" "release" {
  params {
    base_dir = "/srv/downloads/app"
  }
}

job "release" {
  # Every tag is a release, also one of two that come at the same time.
  get "git" "tag" {
    trigger = true
    version = "every"
  }

  task "build" {
    outputs = ["out"]

    run "docker" {
      image = "docker.io/library/golang:1.26"
      cmd   = <<-EOT
        case $GET_TAG_TAG in v[0-9]*) ;; *) echo "$GET_TAG_TAG is not a version" && exit 1 ;; esac
        cd app
        CGO_ENABLED=0 go build -ldflags "-X main.version=$GET_TAG_TAG" -o "../out/app-$GET_TAG_TAG" .
      EOT
    }
  }

  put "artifact" "release" {
    dir = "out"
  }
}
