variable "token" {
  type = string
  secret "kubernetes" {
    path = "deploy"
    key  = "token"
  }
}
job "a" {
  task "names" {
    env = {
      MILLRACE_X   = "1"
      BUILD_NUMBER = "2"
      param_url    = "3"
      "with space" = "4"
      "1st"        = "5"
    }
    run "shell" {
      cmd = "true"
      env = { LIST = ["a"] }
    }
  }
  task "secret name" {
    run "shell" {
      cmd = "true"
      env = { for name in [var.token] : name => "7" }
    }
  }
  task "no map" {
    env = ["A=b"]
    run "docker" {
      image = "node:24"
      cmd   = "true"
      env   = { A = "1" }
      args  = ["-e", "A=2", "-e", "WORKDIR=/", "-e", "HOME"]
    }
  }
}
