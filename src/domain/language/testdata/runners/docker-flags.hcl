# Each flag that means nothing in a Pod is refused by its name, once.
job "a" {
  task "t" {
    run "docker" {
      image = "node:24"
      cmd   = "npm test"
      args  = ["--rm", "-v", "/var/run/docker.sock:/var/run/docker.sock", "--privileged", "--network=host", "-w=/x", "-u", "0", "--network", "my-net"]
    }
  }
  task "u" {
    run "docker" {
      image = "node:24"
      cmd   = "npm test"
      args  = ["npm", "--memory=1g", "--shm-size", "1g", "--env-file", ".env", "--entrypoint", "sh", "-p", "80:80"]
    }
  }
}
