# A Java application with Maven, whose integration tests need a database. The database runs beside the tests, and
# only while the build runs.

resource "git" "app" {
  check_interval = "@every 2m"

  params {
    url    = "https://git.example.org/team/app.git"
    name   = "app"
    branch = "main"
  }
}

job "verify" {
  timeout = "30m"

  get "git" "app" {
    trigger = true
  }

  # It listens on 127.0.0.1:5432. The tests start once it answers.
  service "postgresql" {
    version = "17"
  }

  task "verify" {
    outputs = ["app/target"]

    run "docker" {
      image = "docker.io/library/maven:3-eclipse-temurin-21"
      cmd   = "cd app && mvn --batch-mode --no-transfer-progress verify"
    }

    # The reports say more than the end of the log.
    on_failure "shell" {
      cmd = "cat app/target/surefire-reports/*.txt"
    }
  }
}
