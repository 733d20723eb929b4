# Builds a container image, pushes it, and runs it in the next job. No step needs root, a daemon or more rights than
# the Pod security standard "restricted" gives. docs/how-to/build-images.md explains it and other ways.

variable "repository" {
  type    = string
  default = "registry.example.org/team/app"
}

variable "registry_password" {
  type = string

  secret "kubernetes" {
    path = "registry"
    key  = "password"
  }
}

resource "git" "app" {
  check_interval = "@every 2m"

  params {
    url    = "https://git.example.org/team/app.git"
    name   = "app"
    branch = "main"
  }
}

# When the base image gets a fix, its digest changes, and the image is built again.
resource "registry-image" "base" {
  check_interval = "@every 1h"

  params {
    repository = "docker.io/library/node"
    tag        = "24-slim"
    name       = "base"
    format     = "oci"
  }
}

resource "registry-image" "app" {
  params {
    repository = var.repository
    tag        = "edge"
    username   = "robot"
    password   = var.registry_password
  }
}

job "image" {
  # "try" runs the tag, so no other build may move it meanwhile.
  serial_groups = ["edge"]

  get "git" "app" {
    trigger = true
  }

  get "registry-image" "base" {
    trigger = true
  }

  # What the image has beyond its base. A compiler would run here, in an image of its own.
  task "files" {
    run "shell" {
      cmd = <<-EOT
        mkdir -p root/app
        cp app/*.js root/app/
      EOT
    }
  }

  # An OCI image is a folder of files named by their hashes: layers, a configuration, and a manifest that lists them.
  task "assemble" {
    run "shell" {
      cmd = <<-EOT
        blob() { hash=$(sha256sum <"$1" | cut -c 1-64); size=$(stat -c %s "$1"); mv "$1" "image/blobs/sha256/$hash"; }
        file() { echo "image/blobs/sha256/$(jq -r "$1.digest | ltrimstr(\"sha256:\")" "$2")"; }

        cp -r base/image image
        manifest=$(file '.manifests[0]' image/index.json)
        config=$(file .config "$manifest")

        tar --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner -C root -cf layer .
        diff=$(sha256sum <layer | cut -c 1-64)
        gzip -n layer
        blob layer.gz
        jq --arg hash "$hash" --argjson size "$size" '.layers += [{
          mediaType: (if .mediaType | test("docker") then "application/vnd.docker.image.rootfs.diff.tar.gzip"
            else "application/vnd.oci.image.layer.v1.tar+gzip" end),
          digest: "sha256:\($hash)", size: $size}]' "$manifest" >manifest.json

        jq --arg diff "sha256:$diff" --arg commit "$GET_APP_REF" '.rootfs.diff_ids += [$diff]
          | .history += [{created_by: "the files of the application"}]
          | .config += {Entrypoint: ["node", "/app/main.js"], Cmd: null}
          | .config.Labels["org.opencontainers.image.revision"] = $commit' "$config" >config.json
        blob config.json
        jq --arg hash "$hash" --argjson size "$size" '.config += {digest: "sha256:\($hash)", size: $size}' \
          manifest.json >new.json

        blob new.json
        jq --arg hash "$hash" --argjson size "$size" '.manifests[0] += {digest: "sha256:\($hash)", size: $size}' \
          image/index.json >index.json
        mv index.json image/index.json
      EOT
    }
  }

  put "registry-image" "app" {
    image           = "image"
    additional_tags = "build-$BUILD_NUMBER"
  }
}

# The pull secrets of the Team let the node pull the image.
job "try" {
  serial_groups = ["edge"]

  get "registry-image" "app" {
    trigger = true
    passed  = ["image"]
  }

  # Without cmd, the step runs the entrypoint of the image.
  task "run" {
    run "docker" {
      image = "${var.repository}:edge"
    }
  }
}
