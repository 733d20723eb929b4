resource "git" "app" {
  check_interval = "@every 1h"

  params {
    url    = "http://git.forge.svc/app.git"
    name   = "app"
    branch = "main"
  }
}

resource "git" "manifests" {
  check_interval = "@every 1h"

  params {
    url    = "http://git.forge.svc/manifests.git"
    name   = "manifests"
    branch = "main"
  }
}

job "lint" {
  get "git" "app" {
    trigger = true
  }

  task "syntax" {
    run "shell" {
      cmd = "sh -n app/test.sh && echo 'test.sh: syntax is fine'"
    }
  }
}

job "unit" {
  get "git" "app" {
    trigger = true
  }

  task "prepare" {
    run "shell" {
      cmd = "sort app/prices.txt | tee prices.sorted"
    }
  }

  task "test" {
    run "shell" {
      cmd = "./app/test.sh prices.sorted"
    }
  }
}

job "package" {
  get "git" "app" {
    trigger = true
    passed  = ["lint", "unit"]
  }

  task "pack" {
    run "shell" {
      cmd = "tar -cf app.tar -C app test.sh prices.txt && tar -tvf app.tar"
    }
  }
}

job "deploy" {
  approve "production" {}

  get "git" "app" {
    trigger = true
    passed  = ["package"]
  }

  get "git" "manifests" {
    trigger = false
  }

  task "roll-out" {
    run "shell" {
      cmd = <<-EOT
        # The server restarts during the first attempt. A retry of build 2 has the number 2.1.
        case "$BUILD_NUMBER" in
          *.*) echo "shop.example.org runs $GET_APP_REF" ;;
          *) echo "shop.example.org does not answer" >&2; exit 1 ;;
        esac
      EOT
    }
  }
}
