resource_type "time" {
  protocol = "concourse"
  image    = "concourse/time-resource:1.7.0"
}

resource "git" "shop" {
  check_interval = "@every 2m"

  # icon has no counterpart: pictures show the type
  params {
    name         = "shop"
    url          = "https://git.example.org/team/shop.git"
    branch       = "main"
    paths        = "services/cart, go.mod"
    ignore_paths = "*.md"
    skip_ci      = false
    depth        = 5
  }
}

resource "time" "nightly" {
  params {
    start    = "2:00 AM"
    stop     = "3:00 AM"
    location = "Europe/Berlin"
  }
}

job "unit" {
  get "git" "shop" {
    trigger = true
    version = "latest"
  }

  get "time" "nightly" {
    trigger = true
    version = "latest"
  }

  task "test" {
    inputs  = ["shop"]
    outputs = ["report"]
    env = {
      CGO_ENABLED = "0"
      GOFLAGS     = "-mod=readonly"
      LEVEL       = "info"
    }

    run "docker" {
      image = "golang:1.25"
      cmd   = <<-SH
        mkdir -p report
        set -x
        cd shop
        go test ./... > ../report/test.txt

        echo "$${GOFLAGS}: 100%%{done}"
      SH
    }
  }
}

job "pack" {
  get "git" "shop" {
    trigger = true
    passed  = ["unit"]
  }

  task "pack" {
    run "shell" {
      cmd = "make -C shop 'VERSION=it'\\''s 1' pack"
    }
  }
}
