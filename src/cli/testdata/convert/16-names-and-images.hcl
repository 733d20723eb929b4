variable "_abs" {
  type = string

  secret "vault-a-b-2" {
    path = "concourse/abs"
    key  = "value"
  }
}

variable "_abs_path" {
  type = string

  secret "kubernetes" {
    path = "abs-path"
    key  = "value"
  }
}

variable "_tok" {
  type = string

  secret "kubernetes" {
    path = "tok"
    key  = "value"
  }
}

variable "_x_-y_" {
  type = string

  secret "kubernetes" {
    path = "x.y"
    key  = "value"
  }
}

variable "a_b_c" {
  type = string

  secret "kubernetes" {
    path = "a"
    key  = "b-c"
  }
}

variable "ca" {
  type = string

  secret "kubernetes" {
    path = "ca"
    key  = "value"
  }
}

variable "role_id" {
  type = string

  secret "kubernetes" {
    path = "role"
    key  = "id"
  }
}

variable "role_secret" {
  type = string

  secret "kubernetes" {
    path = "role"
    key  = "secret"
  }
}

variable "vault_token" {
  type = string

  secret "kubernetes" {
    path = "vault-token"
    key  = "value"
  }
}

variable "x_y" {
  type = string

  secret "vault-a-b" {
    path = "concourse/x/y"
    key  = "value"
  }
}

secret_type "vault-a-b" {
  source    = "svc://vault"
  address   = "https://vault.example.org"
  ca        = var.ca
  role_id   = var.role_id
  secret_id = var.role_secret
}

secret_type "vault-a-b-2" {
  source  = "svc://vault"
  address = "https://vault.example.org"
  # insecure_skip_verify has no counterpart in the secret type vault
  # token has no counterpart: see the login of the secret type vault
  # auth_backend has no counterpart: see the login of the secret type vault
  # the login of Vault is missing: write token, or role_id and secret_id, or role and jwt
  token = "change-me"
}

secret_type "vault-c" {
  source  = "svc://vault"
  address = "https://vault.example.org"
  token   = var.vault_token
  # role_id has no counterpart: see the login of the secret type vault
  # secret_id has no counterpart: see the login of the secret type vault
  # secret_id_ttl has no counterpart: see the login of the secret type vault
  # auth_backend has no counterpart: see the login of the secret type vault
}

# Pin the image to a version or a digest.
resource_type "mock" {
  protocol = "concourse"
  image    = "concourse/mock-resource"
}

resource "mock" "unnamed" {
  # old_name has no counterpart: unnamed is a name that the pipeline still has
  params {
    opts = {
      "for"  = "x"
      "null" = 1
      "true" = 2
      other  = 3
    }
  }
}

resource "mock" "unnamed-2" {
  params {
    token = var._tok
    path  = var._abs_path
    key   = var.a_b_c
    dots  = var._x_-y_
  }
}

resource "mock" "my-app" {
  old_name = "old-app"

  params {
    first  = var.x_y
    second = var._abs
  }
}

resource "mock" "your-app" {
  # old_name has no counterpart: your-app is a name that the pipeline still has
  check_interval = "@every 1m"
}

job "build-it" {
  old_name = "make-it"

  cache "a-task-whose-name-has-exactly-forty-nine-lettersx" {
    path = "cache/files"
    key  = "a-task-whose-name-has-exactly-forty-nine-lettersx-$BUILD_NUMBER"
  }

  task "a-task-whose-name-has-exactly-forty-nine-lettersx" {
    # variant has no counterpart: write the variant in the tag, as in 1.25-alpine
    # semver_constraint has no counterpart: Millrace does not look up tags, so the tag must name the image
    # pre_releases has no counterpart: Millrace does not look up tags, so the tag must name the image
    # platform has no counterpart: a node pulls the image for its own platform
    # username has no counterpart: the Team has the credentials of registries
    # password has no counterpart: the Team has the credentials of registries
    # registry_mirror has no counterpart: the nodes decide from where they pull
    # insecure has no counterpart: the nodes decide which registries they trust
    # debug has no counterpart: a node pulls the image by its name only
    run "docker" {
      image = "golang:1.25"
      cmd   = "go test"
    }
  }

  put "mock" "unnamed" {
    params {
      text = "x"
    }
  }

  put "mock" "unnamed-2" {
    params {
      text = "x"
    }
  }
}

job "build-it-2" {
  # old_name has no counterpart: build-it is a name that the pipeline still has
  put "mock" "my-app" {}
}
