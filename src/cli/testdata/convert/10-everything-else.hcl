# prototypes has no counterpart: there are no prototypes
# Pin the image to a version or a digest.
resource_type "pool" {
  protocol = "concourse"
  image    = "concourse/pool-resource"
}

# Pin the image to a version or a digest.
resource_type "hg" {
  protocol = "concourse"
  image    = "concourse/hg-resource"
}

resource "pool" "lock" {
  params {
    uri    = "https://git.example.org/locks.git"
    pool   = "env"
    branch = "main"
  }
}

resource "hg" "lib" {
  check_interval = "@every 1m"

  params {
    uri = "https://hg.example.org/lib"
  }
}

job "use" {
  put "pool" "lock" {
    params {
      acquire = true
    }
  }

  # run compile has no counterpart: there are no prototypes
  task "try" {
    # image has no counterpart: the image of a step must be known before the build starts
    # The image comes from the resource type s3: only images of a registry have a counterpart
    run "shell" {
      cmd = "echo '{{ old }}' '`x`' 'tab\there'"
    }

    # the result of ensure has no counterpart: if the hook fails, the build does not fail
    ensure {
      put "pool" "lock" {
        params {
          release = "lock"
        }
      }
    }
  }
}

job "nothing" {}

job "only-inputs" {
  get "hg" "lib" {
    trigger = true
    version = "latest"
  }
}
