resource_type "plain" {
  params = ["a", "b"]
  check "exec" {
    path = "true"
  }
  push "exec" {
    path = "true"
  }
}

resource_type "files" {
  protocol = "concourse"
  image    = "registry.example.com/types/files"
}

resource "plain" "app" {
  params {
    a = ["x"]
    b = { x = 1 }
  }
}

resource "files" "app" {
  cache = true
  params {
    big  = 12345678901234567890
    deep = [{ n = 9007199254740993 }]
  }
}

job "build" {
  get "plain" "app" {
    params {
      depth = 1
    }
  }
  put "plain" "app" {
    a = ["x"]
    params {
      b = { x = 1 }
    }
  }
  put "files" "app" {
    file = "a"
    params {
      file = "b"
    }
  }
}
