# Jobs that the tests run on the machine they run on.

variable "greeting" {
  type    = string
  default = "hello"
}

variable "stubborn" {
  type    = bool
  default = false
}

variable "token" {
  type = string

  secret "kubernetes" {
    path = "publish"
    key  = "token"
  }
}

variable "password" {
  type = string

  secret "env" {
    key = "SHOP_PASSWORD"
  }
}

resource_type "counter" {
  params = ["start"]

  check "shell" {
    cmd = "echo \"[{\\\"number\\\": \\\"$param_start\\\"}, {\\\"number\\\": \\\"$((param_start + 1))\\\"}]\""
  }

  pull "shell" {
    cmd = "echo $version_number > number; echo pulled $version_number"
  }

  push "shell" {
    cmd = "echo pushed $put_text; echo '{\"number\": \"9\"}'"
  }
}

resource "counter" "builds" {
  params {
    start = "41"
  }
}

resource "git" "app" {
  params {
    url  = "https://git.example.org/app.git"
    name = "app"
  }
}

resource_type "slow" {
  check "shell" {
    cmd = "touch \"$HOME/checking\"; sleep 600"
  }

  pull "exec" {}
}

resource "slow" "resource" {
  params {}
}

resource "cron" "nightly" {
  check_interval = "@every 24h"
}

notification_type "echo" {
  params = ["room"]

  notify "shell" {
    cmd = "echo \"to $param_room: $NOTIFY_MESSAGE\""
  }
}

notification "echo" "team" {
  on      = ["success"]
  message = "build $BUILD_NUMBER of $BUILD_JOB_NAME"

  params {
    room = "builds"
  }

  jobs = ["publish"]
}

service_type "store" {
  start "shell" {
    cmd = "(sleep 1; echo up > store) & echo starting"
  }

  stop "shell" {
    cmd = "rm store; echo stopped"
  }

  ready_check "shell" {
    cmd      = "test -f store"
    interval = "1s"
    timeout  = "30s"
  }
}

service_type "cache" {
  start "docker" {
    image = "cache:8"
  }

  stop "shell" {
    cmd = ":"
  }

  ready_check "shell" {
    cmd      = "test -f cache-is-up"
    interval = "1s"
    timeout  = "30s"
  }
}

job "hooks" {
  task "work" {
    run "shell" {
      cmd = "echo ${var.greeting}; echo SIZE=3 >> $SVC_OUTPUT"
    }

    on_success "shell" {
      cmd = "echo of the step: it has the size $TASK_WORK_SIZE"
    }

    on_failure "shell" {
      cmd = "echo never"
    }
  }

  on_success "shell" {
    cmd = "echo of the job: $BUILD_STATUS"
  }

  ensure "shell" {
    cmd = "echo at last"
  }
}

job "fails" {
  task "twice" {
    attempts = 2

    run "shell" {
      cmd = "echo broken >&2; exit 3"
    }
  }

  task "later" {
    run "exec" {
      path = "true"
    }
  }

  on_failure "shell" {
    cmd = "echo $BUILD_REASON"
  }

  ensure "shell" {
    cmd = "exit 1"
  }
}

job "tolerated" {
  allow_failure = true

  task "break" {
    run "exec" {
      path = "false"
    }
  }
}

job "late" {
  task "slow" {
    timeout = "1s"

    run "exec" {
      path = "sleep"
      args = ["60"]
    }

    on_failure "shell" {
      cmd = "echo timed out: $BUILD_TIMED_OUT"
    }
  }
}

job "meet" {
  in_parallel {
    task "left" {
      run "shell" {
        cmd = "touch left; until [ -f right ]; do sleep 0.1; done"
      }
    }

    task "right" {
      run "shell" {
        cmd = "touch right; until [ -f left ]; do sleep 0.1; done"
      }
    }
  }
}

job "choose" {
  input "target" {
    type    = choice
    options = ["staging", "production"]
  }

  input "replicas" {
    type    = number
    default = 2
  }

  if "$INPUT_TARGET == 'production'" {
    task "careful" {
      run "shell" {
        cmd = "echo $INPUT_REPLICAS replicas"
      }
    }
  }
  else {
    task "quick" {
      run "shell" {
        cmd = "echo one replica"
      }
    }
  }
}

job "build" {
  get "git" "app" {
    trigger = true
  }

  get "cron" "nightly" {}

  task "read" {
    inputs = ["app/greeting.txt"]

    run "shell" {
      cmd = "cat app/greeting.txt; test -n \"$GET_NIGHTLY_DATE\"; echo ref has $${#GET_APP_REF} characters"
    }
  }
}

job "publish" {
  get "counter" "builds" {}

  put "counter" "builds" {
    params {
      text = "after $GET_BUILDS_NUMBER"
    }
  }

  notify "echo" "team" {
    message = "number $GET_BUILDS_NUMBER"
  }
}

job "secret" {
  task "print" {
    env = {
      TOKEN = var.token
    }

    run "shell" {
      cmd = "echo \"the token is $TOKEN\"; printf %s \"$TOKEN\" | base64; echo \"the password is ${var.password}\""
    }
  }
}

job "store" {
  service "store" {}

  task "use" {
    run "exec" {
      path = "cat"
      args = ["store"]
    }
  }
}

job "environment" {
  task "print" {
    run "shell" {
      cmd = "ls -A \"$HOME\"; case $HOME in \"$${WORKDIR%/work}\"/*) echo home is fresh ;; esac; env | cut -d= -f1 | sort"
    }
  }
}

job "waits" {
  task "wait" {
    run "shell" {
      cmd = "echo waiting; sleep 600"
    }

    on_cancel "shell" {
      cmd = "echo undone"
    }
  }

  on_cancel "shell" {
    cmd = "echo cancelled; if ${var.stubborn}; then sleep 600; fi"
  }

  ensure "shell" {
    cmd = "echo cleaned"
  }
}

job "deploy" {
  approve "production" {}

  task "deploy" {
    run "shell" {
      cmd = "echo deployed"
    }
  }
}

job "images" {
  service "cache" {}

  task "compile" {
    run "docker" {
      image = "golang:1.26"
      cmd   = "echo in $IMAGE; pwd | sed s,.*/,,; touch made"
    }
  }

  task "lint" {
    run "docker" {
      image = "linter:2"
    }
  }

  task "on_the_host" {
    run "shell" {
      cmd = "echo in $${IMAGE-no image}; ls made"
    }
  }

  put "counter" "builds" {
    params {
      text = "x"
    }
  }
}

job "unknown" {
  task "run" {
    run "docker" {
      image = "nowhere:1"
      cmd   = "true"
    }
  }
}

job "hangs" {
  task "hang" {
    run "docker" {
      image = "golang:1.26"
      cmd   = "echo hanging; sleep 600"
    }
  }
}

job "slow-check" {
  get "slow" "resource" {}
}
