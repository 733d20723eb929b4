# groups has no counterpart: the page of the pipeline shows all jobs
# display has no counterpart: pages have no background
resource_type "time" {
  protocol = "concourse"
  image    = "concourse/time-resource:1.7.0"
}

resource "time" "go" {
  check_interval = "@every 1h"

  params {
    interval = "1h"
  }
}

job "one" {
  old_name    = "uno"
  concurrency = 1
  # interruptible has no counterpart: builds continue when an operator restarts; the attribute of this name cancels older builds
  # disable_manual_trigger has no counterpart: anyone with the role write can trigger every job
  # public has no counterpart: a pipeline is public as a whole
  # build_log_retention has no counterpart: the installation sets how long builds are stored
  # tags of steps become tags of the job, whose Pod runs all steps
  tags = ["fast"]

  get "time" "go" {
    trigger = true
    version = "latest"
  }
}

job "two" {
  concurrency   = 1
  serial_groups = ["deploy", "prod-east"]
  # build_logs_to_retain has no counterpart: the installation sets how long builds are stored
  # tags of steps become tags of the job, whose Pod runs all steps
  tags = ["fast", "big"]

  get "time" "go" {
    trigger = true
    passed  = ["one"]
  }

  task "run" {
    # privileged has no counterpart: no step gets privileges
    # container_limits has no counterpart: the Team sets the limits of containers
    # hermetic has no counterpart: network policies decide what a Pod reaches
    # platform: darwin has no counterpart: steps run on Linux
    # rootfs_uri has no counterpart: name an image of a registry
    # container_limits has no counterpart: the Team sets the limits of containers
    run "shell" {
      cmd = "true"
    }
  }
}

job "three" {
  concurrency = 4

  get "time" "go" {
    passed = ["one", "two"]
  }
}
