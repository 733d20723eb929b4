resource_type "misspelt" {
  protocol = "concours"
  image    = "registry.example.com/types/files"
}

resource_type "without_image" {
  protocol = "concourse"
}

resource_type "without_protocol" {
  image = "registry.example.com/types/files"
}

resource_type "bad_image" {
  protocol = "concourse"
  image    = "registry.example.com/Types/Files"
}

resource_type "later_image" {
  protocol = "concourse"
  image    = "registry.example.com/types/files:$BUILD_NUMBER"
}

resource_type "with_commands" {
  protocol = "concourse"
  image    = "registry.example.com/types/files"
  params   = ["uri"]
  cache    = true
  check "exec" {
    path = "true"
  }
  pull "exec" {
    path = "true"
  }
  runner "docker" {
    image = "alpine"
  }
}

resource_type "with_source" {
  source   = "svc://git"
  protocol = "concourse"
  image    = "registry.example.com/types/files"
}
