variable "chat_token" {
  type = string

  secret "kubernetes" {
    path = "chat-token"
    key  = "value"
  }
}

# No secret can be where this variable is used. Set its value in the manifest.
variable "chat_version" {
  type    = string
  default = "change-me"
}

variable "registry_password" {
  type = string

  secret "kubernetes" {
    path = "registry-password"
    key  = "value"
  }
}

# tags has no counterpart: the Pod of the build pulls the image
# check_every has no counterpart: name another tag or digest to change the image
# username has no counterpart: the Team has the credentials of registries
# password has no counterpart: the Team has the credentials of registries
resource_type "chat-notice" {
  protocol = "concourse"
  image    = "registry.example.org/types/chat:${var.chat_version}"
}

# privileged has no counterpart: no type gets privileges
# unique_version_history has no counterpart: a resource has its own history
# params has no counterpart: a node pulls the image as a whole
resource_type "chart" {
  protocol = "concourse"
  image    = "example/chart-type@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
}

# The image comes from the resource type s3: only images of a registry have a counterpart
# Name the image of the type.
resource_type "homemade" {
  protocol = "concourse"
  image    = "change-me"
}

resource_type "registry-image" {
  protocol = "concourse"
  image    = "concourse/registry-image-resource:1.9.0"
}

# Pin the image to a version or a digest.
# docker-image needs privileges, which no type gets: use registry-image
resource_type "docker-image" {
  protocol = "concourse"
  image    = "concourse/docker-image-resource"
}

resource "chat-notice" "team" {
  params {
    url     = "https://chat.example.org/hook"
    token   = var.chat_token
    retries = 5
  }
}

resource "chart" "release" {
  old_name = "chart"
  # check_every: 5s is shorter than the minimum of 10s
  check_interval = "@every 10s"
  # webhook_token has no counterpart: Millrace creates the token itself
  # "Big_Node" is not allowed in tags: use lower-case letters, digits and hyphens
  tags = ["internal"]

  # public has no counterpart: the page of a resource shows its versions only
  # expose_build_created_by has no counterpart: no variable has the name of a person
  # check_timeout has no counterpart: a check may take 5 minutes
  # version has no counterpart: pin the resource with spec.pins of the manifest, or with the API
  params {
    server = "https://charts.example.org"
    nested = {
      list = [
        1,
        "two",
        {
          three = true
          none  = null
        },
      ]
      "odd key" = "%%{x} $${y}"
    }
    # not a name has no counterpart: it cannot be the name of a parameter
  }
}

resource "registry-image" "image" {
  check_interval = "@every 1m"

  params {
    repository = "example/shop"
    password   = var.registry_password
    username   = "robot"
  }
}

resource "docker-image" "base" {
  check_interval = "@every 1m"

  params {
    repository = "example/base"
  }
}

resource "homemade" "thing" {
  check_interval = "@every 1m"
}

job "ship" {
  get "chart" "release" {
    trigger = true
    version = "every"

    params {
      target = "out"
      skip   = false
    }
  }

  get "docker-image" "base" {
    # version has no counterpart: pin the resource to digest sha256:77 with spec.pins of the manifest, or with the API
  }

  get "newest" {
    resource = "registry-image.image"
    version  = "latest"
    # skip_download has no counterpart: a get always downloads
  }

  get "homemade" "thing" {}

  put "registry-image" "image" {
    params {
      image           = "release/image.tar"
      additional_tags = "release/tag"
    }

    # get_params has no counterpart: there is no get after a put: get the version in the next job
  }

  put "say" {
    resource = "chat-notice.team"

    params {
      text    = "shipped"
      timeout = 5
    }

    # inputs has no counterpart: a put sees the whole working directory
  }
}
