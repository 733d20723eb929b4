# A pipeline with a bit of everything, as a user would write it.
job "unit" {
  concurrency = 2
  timeout     = "30m"
  tags        = ["linux"]

  matrix {
    go = ["1.24", "1.25"]
    os = ["linux", "windows"]
  }

  get "git" "app" {
    trigger = true
    version = "every"
  }

  service "postgresql" {
    timeout = "2m"
    version = 17
  }

  in_parallel {
    fail_fast = true

    task "test" {
      attempts = 2
      timeout  = "10m"
      outputs  = ["report.xml"]

      run "docker" {
        image = "golang:${each.value.go}"
        cmd   = "cd app && GOOS=${each.value.os} go test ./..."
      }
    }

    task "lint" {
      run "docker" {
        image = "golang:${each.value.go}"
        cmd   = "cd app && go vet ./..."
      }
    }
  }

  on_failure {
    notify "slack" "dev" {
      message = "${each.key} broke at $GET_APP_REF"
    }
  }
}

job "publish" {
  serial_groups = ["registry"]

  get "git" "app" {
    trigger = true
    passed  = ["unit"]
  }

  task "version" {
    run "shell" {
      cmd = <<-EOT
        version=$(git -C app describe --tags --always)
        echo "VERSION=$${version#v}" >> "$SVC_OUTPUT"
      EOT
    }
  }

  put "bucket" "releases" {
    file = "app-$TASK_VERSION_VERSION.tar"
  }
}

job "ship" {
  for_each      = var.regions
  disable_retry = true
  interruptible = true

  input "environment" {
    type        = choice
    description = "where it goes"
    options     = ["staging", "production"]
  }

  approve "ship to production" {
    approvals      = 2
    not_by_trigger = true

    notify "slack" "dev" {}
  }

  get "bucket" "releases" {
    passed = ["publish"]
  }

  if "$INPUT_ENVIRONMENT == production" {
    task "ship" {
      run "ssh" {
        host = each.value
        args = ["deploy", "--all"]
      }
    }
  }
  else {
    task "try" {
      run "ssh" {
        host = each.value
        args = ["deploy", "--dry-run"]
      }
    }
  }

  ensure "shell" {
    cmd = "rm -rf work"
  }

  on_trigger {
    notify "slack" "dev" {
      message = "soon in ${each.key}"
    }
  }
}

resource "git" "app" {
  check_interval   = "@every 1m"
  webhook_interval = "@every 1h"

  params {
    url   = "https://forge.example/me/app.git"
    name  = "app"
    token = var.forge_token
  }
}

resource "bucket" "releases" {
  tags = ["linux"]

  params {
    bucket = "releases-${lower(var.stage)}"
    key    = var.bucket_key
  }
}

resource_type "bucket" {
  params = ["bucket", "key"]

  check "exec" {
    path = "bucket"
    args = ["list", "--json"]
  }

  pull "exec" {
    path = "bucket"
    args = ["get"]
  }

  push "exec" {
    path = "bucket"
    args = ["put"]
  }

  runner "docker" {
    image = "bucket-tools:3"
  }
}

runner_type "ssh" {
  run {
    path = "ssh"
    args = ["-o", "BatchMode=yes", "$host", "$args"]
  }
}

notification "slack" "dev" {
  on      = ["failure", "cancel"]
  exclude = ["ship"]

  params {
    webhook_url = var.chat_hook
  }
}

secret_type "safe" {
  source  = "svc://vault"
  address = "https://vault.example"
  token   = var.safe_token
}

variable "regions" {
  type    = map(string)
  default = { north = "n.example", south = "s.example" }
}

variable "stage" {
  type    = string
  default = "PROD"
}

variable "forge_token" {
  type = string

  secret "kubernetes" {
    path = "forge"
    key  = "token"
  }
}

variable "safe_token" {
  type = string

  secret "kubernetes" {
    path = "vault"
    key  = "token"
  }
}

variable "bucket_key" {
  type = string

  secret "safe" {
    path = "kv/bucket"
    key  = "key"
  }
}

variable "chat_hook" {
  type = string

  secret "env" {
    key = "CHAT_HOOK"
  }
}
