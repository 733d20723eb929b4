variable "A_b" {
  type = string

  secret "kubernetes" {
    path = "a"
    key  = "b"
  }
}

variable "a-b" {
  type = string

  secret "kubernetes" {
    path = "a-b"
    key  = "value"
  }
}

variable "branch" {
  type    = string
  default = "main"
}

variable "bucket" {
  type = string

  secret "kubernetes" {
    path = "bucket"
    key  = "value"
  }
}

variable "constructor" {
  type = string

  secret "kubernetes" {
    path = "constructor"
    key  = "value"
  }
}

variable "forge_token" {
  type = string

  secret "kubernetes" {
    path = "forge"
    key  = "token"
  }
}

variable "github-deploy-key_token" {
  type = string

  secret "kubernetes" {
    path = "github-deploy-key"
    key  = "token"
  }
}

variable "github_deploy_key" {
  type = string

  secret "kubernetes" {
    path = "github-deploy-key-2"
    key  = "value"
  }
}

variable "limits_cpu" {
  type    = any
  default = 2
}

variable "password" {
  type = string

  secret "kubernetes" {
    path = "password"
    key  = "value"
  }
}

variable "region" {
  type    = string
  default = "north"
}

variable "shop_store_id" {
  type = string

  secret "vault-safe" {
    path = "ci/shop/store"
    key  = "id"
  }
}

variable "shop_store_key" {
  type = string

  secret "vault-safe" {
    path = "ci/shop/store"
    key  = "key"
  }
}

variable "signing-key" {
  type = string

  secret "kubernetes" {
    path = "signing-key"
    key  = "value"
  }
}

variable "tool" {
  type    = string
  default = "hammer"
}

# No secret can be where this variable is used. Set its value in the manifest.
variable "tool_version" {
  type    = string
  default = "change-me"
}

variable "vault_token" {
  type = string

  secret "kubernetes" {
    path = "vault-token"
    key  = "value"
  }
}

secret_type "vault-safe" {
  source    = "svc://vault"
  address   = "https://vault.example.org"
  token     = var.vault_token
  namespace = "team"
  # auth_backend has no counterpart: see the login of the secret type vault
}

# the source cloud of the type ssm is left out: its secrets become Secrets of Kubernetes
resource_type "semver" {
  protocol = "concourse"
  image    = "concourse/semver-resource:1.7.0"
}

resource_type "registry-image" {
  protocol = "concourse"
  image    = "concourse/registry-image-resource:1.9.0"
}

resource "semver" "version" {
  check_interval = "@every 1m"

  params {
    driver            = "s3"
    bucket            = var.bucket
    key               = "${var.region}/version"
    access_key_id     = var.shop_store_id
    secret_access_key = var.shop_store_key
    cpu               = var.limits_cpu
  }
}

resource "git" "app" {
  check_interval = "@every 1m"

  params {
    name       = "app"
    url        = "https://git.example.org/app.git"
    branch     = var.branch
    token      = var.forge_token
    submodules = true
  }
}

resource "registry-image" "chart" {
  params {
    repository = "charts/app"
    password   = var.password
    username   = "robot"
  }
}

job "release" {
  concurrency = 2

  get "git" "app" {
    # trigger is a variable, and must be a fixed value here
  }

  get "semver" "version" {
    params {
      bump = "minor"
    }
  }

  task "number" {
    # load_var number: the task fails if the value has several lines
    run "shell" {
      cmd = <<-SH
        value="$(sed 's/^[[:space:]]*//; s/[[:space:]]*$//' version/number)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var number: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "facts" {
    # load_var facts: the log can show the value, as with reveal
    # load_var facts: the task fails if the value has several lines
    run "shell" {
      cmd = <<-SH
        value="$(jq -r '."author"."name" | if . == null then error("there is no value") else tostring end' app/facts.json)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var facts: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'AUTHOR_NAME=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "odd" {
    # load_var odd: the log can show the value, as with reveal
    # load_var odd: the task fails if the value has several lines
    # format: yaml has no counterpart: the file must be JSON
    run "shell" {
      cmd = <<-SH
        value="$(jq -r '. | if . == null then error("there is no value") else tostring end' app/odd.yml)"
        if [ "$(printf %s "$value" | wc -l)" -gt 0 ]; then
          echo 'load_var odd: the value has several lines, and a variable has one' >&2
          exit 1
        fi
        printf 'VALUE=%s\n' "$value" >>"$SVC_OUTPUT"
      SH
    }
  }

  task "tag" {
    env = {
      KEY             = var.shop_store_key
      ARG_SIGNING_KEY = var.signing-key
    }

    # timeout is a variable, and must be a fixed value here
    run "docker" {
      image = "example/${var.tool}:${var.tool_version}"
      cmd   = <<-SH
        export NUMBER="$${TASK_NUMBER_VALUE}"
        tool --tag v"$${TASK_NUMBER_VALUE}" --who "$${TASK_FACTS_AUTHOR_NAME}" --key "$ARG_SIGNING_KEY"
      SH
    }
  }

  task "names" {
    env = {
      ARG_A_B         = "own"
      TOKEN           = var.github_deploy_key
      OTHER           = var.github-deploy-key_token
      ARG_A_B_2       = var.a-b
      ARG_A_B_3       = var.A_b
      ARG_CONSTRUCTOR = var.constructor
    }

    run "shell" {
      cmd = "tool \"$ARG_A_B_2\" \"$ARG_A_B_3\" \"$ARG_A_B_2\" \"$ARG_CONSTRUCTOR\""
    }
  }

  put "registry-image" "chart" {
    params {
      version = "$${TASK_NUMBER_VALUE}"
      text    = "$${TASK_ODD_VALUE} of ${var.bucket}"
    }
  }

  # set_pipeline ((name)) has no counterpart: a Pipeline is an object of Kubernetes, so apply it as a manifest
}
