# A Go module, tested with two versions of Go. The jobs are test--1-25 and test--1-26.

resource "git" "app" {
  check_interval = "@every 2m"

  params {
    url    = "https://git.example.org/team/app.git"
    name   = "app"
    branch = "main"
  }
}

job "test" {
  timeout = "20m"

  matrix {
    go = ["1.25", "1.26"]
  }

  get "git" "app" {
    trigger = true
  }

  task "test" {
    run "docker" {
      image = "docker.io/library/golang:${each.value.go}"
      cmd   = <<-EOT
        cd app
        go vet ./...
        go test -count=1 ./...
      EOT
    }
  }
}

# Runs once both versions have passed.
job "build" {
  get "git" "app" {
    trigger = true
    passed  = ["test"]
  }

  task "build" {
    outputs = ["out/app"]

    run "docker" {
      image = "docker.io/library/golang:1.26"
      env   = { CGO_ENABLED = "0" }
      cmd   = "cd app && go build -trimpath -o ../out/app ."
    }
  }
}
