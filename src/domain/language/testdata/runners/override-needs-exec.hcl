resource_type "a" {
  runner "docker" {
    image = "x"
  }
  check "shell" {
    cmd = "echo '[]'"
  }
}
notification_type "b" {
  runner "docker" {
    image = "x"
  }
  notify "docker" {
    image = "y"
    cmd   = "true"
  }
}
