# Every construct of the language in one pipeline: a web shop with three services, its documentation, and a mobile app that somebody
# releases by hand. It shows how the parts are written; a real pipeline needs few of them.
#
#   millrace validate config/samples/everything.hcl
#   millrace graph config/samples/everything.hcl -o everything.svg
#   millrace plan config/samples/everything.hcl --job release

# --- Values -----------------------------------------------------------------------------------------------------------------------

variable "registry" {
  type    = string
  default = "registry.example.org/shop"
}

variable "replicas" {
  type    = number
  default = 3
}

variable "notify_success" {
  type    = bool
  default = false
}

variable "language" {
  type    = string
  default = "en"
}

variable "services" {
  type    = list(string)
  default = ["cart", "catalog", "payment"]
}

variable "regions" {
  type = map(string)
  default = {
    europe  = "eu-central"
    america = "us-east"
  }
}

# The value is fetched when a Pod needs it; here it is only a name.
variable "registry_token" {
  type = string

  secret "kubernetes" {
    path = "registry"
    key  = "token"
  }
}

variable "chat_webhook" {
  type = string

  secret "env" {
    key = "CHAT_WEBHOOK"
  }
}

variable "signing_key" {
  type = string

  secret "keychain" {
    path = "mobile/release"
    key  = "private_key"
  }
}

# --- Types of one's own -----------------------------------------------------------------------------------------------------------

# How commands run: attributes of the caller are $<name> here.
runner_type "python" {
  run {
    path = "python3"
    args = ["-m", "$module", "$args"]
  }
}

secret_type "keychain" {
  params  = ["path", "key"]
  address = "https://keychain.example.org"

  get "shell" {
    cmd = <<-EOT
      curl --fail --silent "$param_address/v1/$param_path" | jq --compact-output .data
    EOT
  }
}

# Versions of container images. An empty pull does nothing: a get brings only the version.
resource_type "image" {
  params = ["repository", "token"]

  check "shell" {
    cmd = <<-EOT
      curl --fail --silent "https://$param_repository/tags" | jq --compact-output '[.[] | {tag: .name, digest}]'
    EOT
  }

  pull "exec" {}

  push "docker" {
    image = "registry.example.org/tools/skopeo:1.18"
    cmd   = <<-EOT
      skopeo copy "oci:$put_folder" "docker://$param_repository:$put_tag"
      printf '{"tag":"%s"}' "$put_tag"
    EOT
  }
}

# Built in, under a name of one's own.
resource_type "clock" {
  source = "svc://cron"
}

notification_type "pager" {
  params = ["service"]

  # All commands of the type run in this container.
  runner "docker" {
    image = "docker.io/curlimages/curl:8.17.0"
  }

  # Arguments are passed as written: only a shell fills in $NOTIFY_MESSAGE.
  notify "exec" {
    path = "sh"
    args = ["-c", "curl --fail --silent --data \"$NOTIFY_MESSAGE\" https://pager.example.org/incidents"]
  }
}

service_type "database" {
  params = ["version"]

  start "shell" {
    cmd = "pg_ctl --pgdata \"$WORKDIR/.database\" start"
  }

  stop "shell" {
    cmd = "pg_ctl --pgdata \"$WORKDIR/.database\" stop"
  }

  ready_check "exec" {
    path     = "pg_isready"
    interval = "1s"
    timeout  = "30s"
  }
}

# --- What is watched --------------------------------------------------------------------------------------------------------------

resource "git" "shop" {
  check_interval   = "@every 1m"
  webhook_interval = "@every 30m"

  params {
    url    = "https://git.example.org/shop/shop.git"
    name   = "shop"
    branch = "main"
  }
}

resource "git" "docs" {
  check_interval = "*/15 * * * *"
  cache          = false

  params {
    url  = "https://git.example.org/shop/docs.git"
    name = "docs"
  }
}

resource "image" "base" {
  check_interval = "0 4 * * *"
  tags           = ["internal-network"]

  params {
    repository = format("%s/%s", var.registry, "base")
    token      = var.registry_token
  }
}

resource "image" "store" {
  params {
    repository = "${var.registry}/store"
    token      = var.registry_token
  }
}

# One resource for each service: image.service--cart, image.service--catalog, image.service--payment.
resource "image" "service" {
  for_each = toset(var.services)

  params {
    repository = "${var.registry}/${each.key}"
    token      = var.registry_token
  }
}

resource "image" "site" {
  params {
    repository = "${var.registry}/site"
    token      = var.registry_token
  }
}

resource "clock" "nightly" {
  check_interval = "30 2 * * *"
  time_zone      = "Europe/Zurich"
}

resource "trigger" "released" {}

# --- Notifications ----------------------------------------------------------------------------------------------------------------

notification "slack" "team" {
  message = "$BUILD_PIPELINE_NAME/$BUILD_JOB_NAME #$BUILD_NUMBER"
  on      = var.notify_success ? ["all"] : ["failure", "cancel"]
  exclude = ["docs"]

  params {
    webhook_url = var.chat_webhook
  }
}

notification "pager" "on_call" {
  message = "$BUILD_JOB_NAME #$BUILD_NUMBER: $BUILD_REASON"
  on      = ["failure"]
  jobs    = ["deploy", "smoke--europe"]

  params {
    service = "shop"
  }
}

# --- Jobs -------------------------------------------------------------------------------------------------------------------------

# One job for each service: unit--cart, unit--catalog, unit--payment.
job "unit" {
  for_each      = toset(var.services)
  interruptible = true
  timeout       = "20m"

  get "git" "shop" {
    trigger = true
  }

  task "test" {
    inputs   = ["shop/services/${each.key}"]
    outputs  = ["report.xml"]
    attempts = 2
    timeout  = "5m"

    run "docker" {
      image = "docker.io/library/golang:1.26"
      args  = ["--network=host", "-e", "GOFLAGS=-count=1"]
      cmd   = "cd shop/services/${each.key} && go test ./... | tee ../../../report.xml"
    }

    on_failure "shell" {
      cmd = "tail --lines 50 report.xml"
    }
  }

  # Labels are fixed text; the attribute names a resource by a template. The label is then the name of the step.
  put "image" {
    resource = "image.service--${each.key}"
    folder   = "shop/services/${each.key}/out"
    tag      = "unit-$BUILD_NUMBER"
  }
}

# One for each combination: integration--16-api, integration--16-web, …
job "integration" {
  serial_groups = ["database"]
  tags          = ["large"]

  matrix {
    database = ["16", "17"]
    suite    = ["api", "web"]
  }

  get "git" "shop" {
    trigger = true
    passed  = ["unit"]
  }

  service "database" {
    version = each.value.database
  }

  task "suite" {
    run "python" {
      module = "pytest"
      args   = ["shop/tests/${each.value.suite}"]
    }
  }
}

job "build" {
  concurrency = 1

  get "git" "shop" {
    trigger = true
    passed  = ["integration"]
    version = "every"
  }

  get "image" "base" {}

  in_parallel {
    limit     = 2
    fail_fast = true

    task "compile" {
      run "shell" {
        cmd = <<-EOT
          make -C shop image BASE="$GET_BASE_DIGEST" OUT="$WORKDIR/out"
          echo "size=$(du -sk out | cut -f1)" >> "$MILLRACE_OUTPUT"
        EOT
      }
    }

    task "licences" {
      run "shell" {
        file  = "shop/scripts/licences.sh"
        shell = "/bin/bash"
      }
    }
  }

  put "image" "store" {
    folder = "out"
    tag    = "build-$BUILD_NUMBER"
  }

  on_success {
    notify "slack" "team" {
      message = "Image of $TASK_COMPILE_SIZE KiB from $GET_SHOP_REF"
    }
  }

  ensure "shell" {
    cmd = "rm -rf out"
  }
}

job "deploy" {
  old_name      = "rollout"
  disable_retry = true
  supersede     = false

  get "image" "store" {
    trigger = true
    passed  = ["build"]
  }

  get "git" "shop" {
    passed = ["build"]
  }

  identity "cloud" {
    audience = "sts.amazonaws.com"
  }

  input "strategy" {
    type        = choice
    description = "How the new version takes over"
    options     = ["rolling", "blue-green"]
    default     = "rolling"
  }

  input "dry_run" {
    type = bool
  }

  if "$INPUT_DRY_RUN == true" {
    task "show" {
      run "exec" {
        path = "shop/deploy"
        args = ["--dry-run", "--replicas", tostring(var.replicas)]
      }
    }
  }
  else_if "$INPUT_STRATEGY == blue-green" {
    task "switch" {
      run "exec" {
        path = "shop/deploy"
        args = ["--blue-green"]
      }
    }
  }
  else {
    task "roll" {
      run "exec" {
        path = "shop/deploy"
        args = ["--replicas", tostring(var.replicas)]
      }
    }
  }

  on_failure {
    task "roll-back" {
      run "exec" {
        path = "shop/deploy"
        args = ["--undo"]
      }
    }

    notify "pager" "on_call" {
      message = "The deployment of $GET_STORE_TAG failed and was undone"
    }
  }

  on_cancel "exec" {
    path = "shop/deploy"
    args = ["--undo"]
  }

  # Runs for each new commit of git.shop, with which the chain of jobs begins: the version is that of git.
  on_trigger {
    notify "slack" "team" {
      message = "$BUILD_JOB_NAME may start for commit $version_ref"
    }
  }
}

# smoke--america, smoke--europe
job "smoke" {
  for_each      = var.regions
  allow_failure = true

  get "image" "store" {
    trigger = true
    passed  = ["deploy"]
  }

  get "clock" "nightly" {
    trigger = true
  }

  task "pages" {
    run "exec" {
      path = "curl"
      args = ["--fail", "https://${each.value}.shop.example.org/health"]
    }
  }
}

job "docs" {
  get "git" "docs" {
    trigger = true
  }

  # What the tools of the site download. Without an entry of this key, the newest one that begins with "site-".
  cache "tools" {
    path = "docs/.tools"
    key  = "site-$GET_DOCS_REF"
  }

  task "site" {
    run "shell" {
      cmd = "make -C docs site"
    }
  }

  # The condition as an attribute can hold values of variables; the label is then only a name.
  if "spelling is checked" {
    condition = "$TASK_SITE_LANGUAGE == ${var.language}"

    task "spelling" {
      run "shell" {
        cmd = "make -C docs spelling"
      }
    }
  }

  put "image" "site" {
    params {
      folder = "docs/out"
      tag    = "published-$BUILD_NUMBER"
    }
  }
}

# Only by hand, and only when two people agree.
job "release" {
  get "image" "store" {
    passed = ["deploy", "smoke"]
  }

  input "versions" {
    type        = list
    description = "Which apps are released"
    options     = ["android", "ios"]
  }

  approve "product" {
    approvals      = 2
    not_by_trigger = true
    timeout        = "24h"

    notify "slack" "team" {
      message = "Somebody has to agree to $BUILD_JOB_NAME #$BUILD_NUMBER"
    }
  }

  # A variable of the environment holds any secret as it is; in the text of a script quotes in the value would end it.
  task "sign" {
    env = { SIGNING_KEY = var.signing_key }

    run "shell" {
      cmd = "mobile/sign --shop \"$GET_STORE_TAG\""
    }
  }

  put "trigger" "released" {
    tag = "$GET_STORE_TAG"
  }

  notify "slack" "team" {
    message = "Released $GET_STORE_TAG"
  }
}
