job "test" {
  cache "modules" {
    path = "../node_modules"
    key  = "a"
  }
  cache "modules" {
    path = "."
    key  = ""
  }
  cache "a/b" {
    path = "/root/.npm"
  }
  cache "d" {
    path = "a//b"
    key  = "$TASK_X_Y"
  }
  cache "e" {
    path = "e"
    key  = "e"
  }
  cache "f" {
    path = "f"
    key  = "f"
  }
  if "$BUILD_NUMBER == 1" {
    cache "g" {
      path = "g"
      key  = "g"
    }
  }
}
