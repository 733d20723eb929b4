# The manual's first error: a source and inline check, pull or push.
resource_type "a" {
  source = "svc://git"
  check "shell" {
    cmd = "x"
  }
}
resource_type "b" {
  source = "svc://git"
  pull "shell" {
    cmd = "x"
  }
}
resource_type "c" {
  source = "svc://git"
  push "shell" {
    cmd = "x"
  }
}
resource_type "d" {
  source = "svc://git"
  params = ["x"]
}
notification_type "e" {
  source = "svc://chatone"
  notify "shell" {
    cmd = "x"
  }
}
runner_type "f" {
  source = "svc://exec"
  run {
    path = "x"
  }
}
secret_type "g" {
  source = "svc://env"
  get "shell" {
    cmd = "x"
  }
}
service_type "h" {
  source = "svc://redis"
  start "shell" {
    cmd = "x"
  }
}
