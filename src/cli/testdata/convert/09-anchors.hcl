variable "forge_password" {
  type = string

  secret "kubernetes" {
    path = "forge-password"
    key  = "value"
  }
}

variable "key" {
  type = string

  secret "kubernetes" {
    path = "key"
    key  = "value"
  }
}

# Pin the image to a version or a digest.
resource_type "git-resource" {
  protocol = "concourse"
  image    = "concourse/git-resource"
}

resource "git-resource" "one" {
  check_interval = "@every 1m"

  params {
    branch   = "main"
    username = "robot"
    password = var.forge_password
    uri      = "https://git.example.org/one.git"
  }
}

resource "git-resource" "two" {
  check_interval = "@every 1m"

  params {
    branch     = "next"
    username   = "robot"
    password   = var.forge_password
    uri        = "https://git.example.org/two.git"
    tag_filter = "v*"
  }
}

resource "git-resource" "three" {
  check_interval = "@every 1m"

  params {
    uri         = "ssh://git@git.example.org/three.git"
    private_key = var.key
  }
}

resource "git" "four" {
  check_interval = "@every 1m"

  params {
    name       = "four"
    url        = "https://github.com/example/four.git"
    submodules = true
  }
}

resource "git-resource" "five" {
  check_interval = "@every 1m"

  params {
    uri = "https://github.com/example/four.git"
  }
}

job "Gro-e-prufen" {
  get "git-resource" "one" {
    trigger = true
    version = "latest"
  }

  get "git-resource" "two" {}

  get "git-resource" "three" {}

  get "git" "four" {}

  get "source" {
    resource = "git-resource.five"
  }

  task "ünits" {
    run "docker" {
      image = "alpine:3.22"
      cmd   = "make"
    }
  }
}

job "push" {
  get "git-resource" "one" {
    trigger = true
    passed  = ["Gro-e-prufen"]
  }

  get "git" "four" {
    passed = ["Gro-e-prufen"]
  }

  get "other" {
    resource = "git-resource.five"
  }

  put "git-resource" "one" {
    params {
      repository = "one"
      tag        = "one/tag"
      rebase     = true
    }
  }

  put "git" "four" {}
}
