# Everything after a quote that is not closed is read with texts and code exchanged, so nothing of it is reported.
job "a" {
  concurrency = "two"
  task "t" {
    run "docker" {
      image = "docker.io/library/node:24"
      cmd   = "cd app && npm ci
    }
  }
  in_parallel {
    task "lint" {
      run "docker" {
        image = "docker.io/library/node:24"
        cmd   = "npm run lint"
      }
    }
  }
}
