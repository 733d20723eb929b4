# Every way in which steps are put together, in one image and without anything outside of the cluster.

resource_type "counter" {
  params = ["name"]

  push "shell" {
    cmd = "printf '{\"count\":\"%s\"}\\n' \"$put_count\""
  }
}

resource "counter" "releases" {
  params {
    name = "releases"
  }
}

notification_type "board" {
  params = ["channel"]

  notify "shell" {
    cmd = "echo \"$param_channel: $NOTIFY_MESSAGE ($${notify_build_status:-no status})\""
  }
}

notification "board" "steps" {
  message = "$BUILD_JOB_NAME #$BUILD_NUMBER says $TASK_COMPUTE_ANSWER"

  params {
    channel = "steps"
  }
}

notification "board" "failures" {
  on      = ["failure"]
  message = "$BUILD_JOB_NAME failed"

  params {
    channel = "failures"
  }
}

runner_type "printing" {
  run {
    path = "/usr/bin/printf"
    args = ["%s\\n", "$greeting", "$args"]
  }
}

service_type "ticker" {
  params = ["name"]

  start "shell" {
    cmd = "(while :; do echo tick >>ticks; sleep 0.1; done) & echo started $param_name"
  }

  stop "shell" {
    cmd = "rm -f ticks"
  }

  ready_check "shell" {
    cmd      = "[ -s ticks ]"
    interval = "1s"
    timeout  = "60s"
  }
}

job "tour" {
  service "ticker" {
    name = "first"
  }

  task "compute" {
    outputs = ["made"]

    run "shell" {
      cmd = <<-EOT
        mkdir made
        echo ANSWER=42 >>"$SVC_OUTPUT"
      EOT
    }

    on_success "shell" {
      cmd = "echo the answer is $TASK_COMPUTE_ANSWER"
    }

    on_failure "shell" {
      cmd = "echo never"
    }
  }

  task "greet" {
    inputs = ["made"]

    run "printing" {
      greeting = "hello"
      args     = ["from", "an own runner"]
    }
  }

  task "flaky" {
    attempts = 3

    run "shell" {
      cmd = "echo try >>tries; [ $(wc -l <tries) -eq 2 ]"
    }
  }

  in_parallel {
    limit = 2

    task "left" {
      run "shell" {
        cmd = "touch left; until [ -e right ]; do sleep 0.1; done; echo met right"
      }
    }

    task "right" {
      run "shell" {
        cmd = "touch right; until [ -e left ]; do sleep 0.1; done; echo met left"
      }
    }

    ensure "shell" {
      cmd = "echo both are done"
    }
  }

  if "$TASK_COMPUTE_ANSWER == 41" {
    task "wrong" {
      run "shell" {
        cmd = "exit 1"
      }
    }
  }
  else_if "$TASK_COMPUTE_ANSWER > 41 && $BUILD_JOB_NAME contains to" {
    task "entered" {
      run "shell" {
        cmd = "echo entered"
      }
    }
  }
  else {
    task "other" {
      run "shell" {
        cmd = "exit 1"
      }
    }
  }

  notify "board" "steps" {}

  put "counter" "releases" {
    count = "$TASK_COMPUTE_ANSWER"
  }

  on_success {
    task "last" {
      run "shell" {
        cmd = "echo $BUILD_STATUS; ls ticks"
      }
    }
  }
}

job "failing" {
  timeout = "1h"

  task "slow" {
    timeout = "2s"

    run "shell" {
      cmd = "sleep 300"
    }

    on_failure "shell" {
      cmd = "echo timed out: $BUILD_TIMED_OUT"
    }
  }

  task "later" {
    run "shell" {
      cmd = "true"
    }
  }

  on_failure "shell" {
    cmd = "echo $BUILD_STATUS because $BUILD_REASON"
  }

  ensure "shell" {
    cmd = "echo cleaned up"
  }
}

job "cancelled" {
  task "endless" {
    run "shell" {
      cmd = "echo ready; sleep 300 & wait"
    }

    on_cancel "shell" {
      cmd = "echo undone"
    }
  }

  ensure "shell" {
    cmd = "sleep 12; echo cleaned up after a while"
  }
}
