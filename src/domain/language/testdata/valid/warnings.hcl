# Warnings stand beside the pipeline.
resource_type "t" {
  params = ["url", "with-dash"]
  push "shell" {
    cmd = "x"
  }
}
resource "t" "a" {
  check_interval = "@hourly"
  params {
    ulr = "x"
  }
}
resource_type "c" {
  check "shell" {
    cmd = "x"
  }
}
resource "c" "my-app" {}
resource "c" "my_app" {}
job "a" {
  get "c" "my-app" {}
  get "c" "my_app" {}
  task "test" {
    run "shell" {
      cmd = "x"
    }
  }
  task "test" {
    run "shell" {
      cmd = "x"
    }
  }
  put "t" "a" {
    a-b = 1
  }
}
job "empty" {
}
