# The hook may put the resource, so passed is not judged.
resource_type "store" {
  check "shell" {
    cmd = "list"
  }
  push "shell" {
    cmd = "upload"
  }
}
resource "store" "out" {}
job "a" {
  task "t" {
    run "shell" {
      cmd = "make"
    }
    on_success {
      puts "store" "out" {}
    }
  }
}
job "b" {
  get "store" "out" {
    passed = ["a"]
  }
}
