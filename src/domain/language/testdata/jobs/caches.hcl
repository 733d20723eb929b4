# A cache is restored at its place among the steps, and saved after all of them.
job "test" {
  task "hash" {
    run "shell" {
      cmd = "echo lock=$(sha256sum app/package-lock.json | cut -c1-16) >> \"$SVC_OUTPUT\""
    }
  }
  cache "modules" {
    path = "app/node_modules"
    key  = "npm-$TASK_HASH_LOCK"
  }
  cache "browsers" {
    path = ".browsers"
    key  = "42"
  }
  task "test" {
    run "shell" {
      cmd = "npm test"
    }
  }
}
